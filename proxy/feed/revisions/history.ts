// The changes of a share that have been told, as far back as they are kept, once somebody wants to be able to take up the feed again.
// Each change has a place. Places grow from one share to the next, since they begin at the time.

import type { FeedMemory } from '../../relay/feed-port.ts';
import { Composer } from '../subscription/composer.ts';
import { type Change, documentBytes } from '../subscription/documents.ts';
import type { Told } from './rev.ts';

/** Places of a microsecond, and of one change, which may be told as two. */
const MICROSECONDS = 1000;
const PARTS = 2;

/** Documents that a share keeps if nothing else is said. */
export const HISTORY_DOCUMENTS = 10_000;

/** The history of a share. */
export class History {
  readonly #most: number;
  readonly #memory: Pick<FeedMemory, 'addState'>;
  #changes: Change[] = [];
  /** How many at the front are gone. */
  #gone = 0;
  /** The place from which on all is there. */
  #start: number;
  #end: number;

  /** `most`: how many changes are kept. */
  constructor(most: number, memory: Pick<FeedMemory, 'addState'>) {
    this.#most = most;
    this.#memory = memory;
    this.#start = Math.floor(Date.now() * MICROSECONDS);
    this.#end = this.#start;
  }

  /** The place of the last change. */
  get end(): number {
    return this.#end;
  }

  /** Keeps a change, and gives it its place. */
  placed(change: Change): Change {
    this.#end += PARTS;
    const placed = { ...change, at: this.#end };
    this.#changes.push(placed);
    this.#memory.addState(0, documentBytes(placed));
    while (this.#changes.length - this.#gone > this.#most) this.#drop();
    if (this.#gone > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#gone);
      this.#gone = 0;
    }
    return placed;
  }

  /** Whether all is there since somebody has been told everything, or a known part. */
  #reaches({ at, extent }: Told): boolean {
    const from = typeof extent === 'object' ? extent.from : at;
    return extent !== 'part' && from >= this.#start && Math.max(at, from) <= this.#end;
  }

  /**
   * The net change since then, once for each thing; `undefined` where it is not known any more.
   * @param parts the changes of single things that a change is told as
   */
  since(told: Told, parts: (change: Change) => readonly Change[]): readonly Change[] | undefined {
    const { at, extent } = told;
    if (!this.#reaches(told)) return undefined;
    const { from, to } = typeof extent === 'object' ? extent : { from: at, to: at };
    const changes = this.#changes.slice(this.#gone).flatMap(parts);
    const last = new Map<string, number>();
    for (const { key = '', at: place = 0 } of changes) if (place > from && place <= to) last.set(key, place);
    const net = new Composer();
    for (const change of changes) {
      const { key = '', at: place = 0 } = change;
      if (place > to || (place > from && (last.get(key) ?? 0) > at)) net.add(change);
    }
    return taken(net);
  }

  /** Lets go of everything: nothing is taken up from before now. */
  clear(): void {
    while (this.#changes.length > this.#gone) this.#drop();
    this.#changes = [];
    this.#gone = 0;
  }

  #drop(): void {
    const oldest = this.#changes[this.#gone];
    if (oldest === undefined) return;
    this.#memory.addState(0, -documentBytes(oldest));
    this.#start = oldest.at ?? this.#start;
    this.#gone++;
  }
}

/** All that a composer has, in the order of the last changes. */
export function taken(composer: Composer): readonly Change[] {
  const changes: Change[] = [];
  while (composer.size > 0) changes.push(...composer.take());
  return changes.sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
}
