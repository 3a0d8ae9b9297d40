// Rows that are known by their value alone, counted, so that each copy of a value has a place among them: the last one goes first.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { FeedMemory } from '../../relay/feed-port.ts';
import type { Change, FeedDocument } from './documents.ts';

/** What an entry is beside its key. */
const ENTRY = 96;

/** The count of each row. */
export class RowCopies {
  readonly #counts = new Map<string, number>();
  readonly #memory: Pick<FeedMemory, 'addState'>;

  /** Counts the rows that are there. */
  constructor(documents: readonly FeedDocument[], memory: Pick<FeedMemory, 'addState'>) {
    this.#memory = memory;
    for (const document of documents) {
      const isRow = document.kind === 'initial' && document.of === 'row' && document.key === undefined;
      if (isRow && document.now !== undefined) this.#comes(document.now);
    }
  }

  /** A change with the places of its rows. */
  numbered(change: Change): Change {
    if (change.kind !== 'change' || change.of !== 'row' || change.key !== undefined) return change;
    const old = change.old === undefined ? 0 : this.#goes(change.old);
    const now = change.now === undefined ? 0 : this.#comes(change.now);
    return { ...change, copies: { old, now } };
  }

  /** A row comes; says which copy it is. */
  #comes(row: Datum): number {
    const key = datumKey(row);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count === 1) this.#memory.addState(1, ENTRY + key.length);
    return count;
  }

  #goes(row: Datum): number {
    const key = datumKey(row);
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else if (this.#counts.delete(key)) this.#memory.addState(-1, -(ENTRY + key.length));
    return count;
  }
}
