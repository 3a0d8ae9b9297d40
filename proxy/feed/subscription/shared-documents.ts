// What there was at first, made once for all who are told it, and counted once: by whoever has made it, for as long as it may be told
// to others who come; and then by one of those who have still to be sent it, in whose place another one comes when he is done.

import type { FeedDocument } from './documents.ts';
import { areLong, type FirstDocuments, type Keeper } from './openings.ts';

/** Documents for many. They take no bytes for one reader more. */
export class SharedDocuments implements FirstDocuments {
  readonly documents: readonly FeedDocument[];
  readonly bytes: number = 0;
  readonly areLong: boolean;
  readonly #all: number;
  readonly #keepers = new Set<Keeper>();
  /** For whom they count; `undefined` while they count for whoever has made them. */
  #bearer: Keeper | undefined;
  #isLetGo = false;

  /** `all`: the bytes that they take. */
  constructor(documents: readonly FeedDocument[], all: number) {
    this.documents = documents;
    this.#all = all;
    this.areLong = areLong(all);
  }

  /** They are to be sent to one more. */
  keep(keeper: Keeper): void {
    this.#keepers.add(keeper);
    this.#pass();
  }

  /** They have been sent to somebody, or never will be. */
  release(keeper: Keeper): void {
    this.#keepers.delete(keeper);
    if (this.#bearer !== keeper) return;
    this.#bearer = undefined;
    keeper.bears(-this.#all);
    this.#pass();
  }

  /** Whoever has made them lets go of them, and counts them no more. */
  letGo(): void {
    this.#isLetGo = true;
    this.#pass();
  }

  #pass(): void {
    if (!this.#isLetGo || this.#bearer !== undefined) return;
    [this.#bearer] = this.#keepers;
    this.#bearer?.bears(this.#all);
  }
}
