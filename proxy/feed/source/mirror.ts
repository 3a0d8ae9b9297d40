// The mirror of a fold inside RethinkDB, which its documents add up to: the state of the server plan as far as anybody can see it, for
// those who come late.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import type { FeedMemory } from '../../relay/feed-port.ts';
import { type Difference, type SidesDifference, withSides } from '../operator/difference.ts';

/** Something that is there: a group, or a row, which may be there several times. */
interface Shown {
  readonly difference: SidesDifference;
  count: number;
}

/** What an entry is beside its data. */
const ENTRY = 160;

/** The sum of all differences. */
export class Mirror {
  readonly #memory: Pick<FeedMemory, 'addState'>;
  /** Whether the one value is there when it is null, since nothing else is ever there. */
  readonly #isValue: boolean;
  readonly #shown = new Map<string, Shown>();
  #value: SidesDifference | undefined;

  constructor(isValue: boolean, memory: Pick<FeedMemory, 'addState'>) {
    this.#isValue = isValue;
    this.#memory = memory;
  }

  take(difference: SidesDifference): void {
    const { of, key, old, now } = difference;
    if (of === 'value') {
      this.#value = now === null && !this.#isValue ? undefined : difference;
    } else if (key === undefined) {
      if (old !== undefined) this.#count(datumKey(old), difference, old, -1);
      if (now !== undefined) this.#count(datumKey(now), difference, now, 1);
    } else {
      this.#put(key, now === undefined ? undefined : { difference, count: 1 });
    }
  }

  /** All that is there, as what differs from nothing. */
  *snapshot(): Iterable<Difference> {
    if (this.#value !== undefined) yield withSides(this.#value, undefined, this.#value.now);
    for (const { difference, count } of this.#shown.values()) {
      for (let i = 0; i < count; i++) yield withSides(difference, undefined, difference.now);
    }
  }

  #count(key: string, like: SidesDifference, row: Datum, by: number): void {
    const known = this.#shown.get(key);
    const count = (known?.count ?? 0) + by;
    if (known === undefined || count === 0) {
      this.#put(key, count === 0 ? undefined : { difference: withSides(like, undefined, row), count });
    } else {
      known.count = count;
    }
  }

  #put(key: string, shown: Shown | undefined): void {
    const before = this.#shown.get(key);
    if (shown === undefined) this.#shown.delete(key);
    else this.#shown.set(key, shown);
    const rows = (shown === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    this.#memory.addState(rows, bytesOf(key, shown) - bytesOf(key, before));
  }
}

function bytesOf(key: string, shown: Shown | undefined): number {
  if (shown === undefined) return 0;
  const { group, now } = shown.difference;
  return ENTRY + key.length + datumBytes(group ?? null) + datumBytes(now ?? null);
}
