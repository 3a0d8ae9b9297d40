// What tells of the rows of a feed, which are known by their value alone, that one took the place of another: the keys that they show,
// once somebody who follows names them by these. Rows of one key that were paired with others could not be told as one thing.

import type { Path } from '../../../rewrite/kinds/key-places.ts';

/** The pairing of the rows of one share, whatever source fills it. */
export class RowPairing {
  #paths: readonly Path[] | undefined;

  /** Where the keys of rows stand; `undefined` while nobody wants to know. */
  get paths(): readonly Path[] | undefined {
    return this.#paths;
  }

  /** From now on rows are paired by what stands there. */
  by(paths: readonly Path[]): void {
    this.#paths ??= paths;
  }
}
