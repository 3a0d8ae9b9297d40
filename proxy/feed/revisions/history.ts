// The changes of a share that have been told, as far back as they are kept, once somebody wants to be able to take up the feed again.
// Each change has a place. Places grow from one share to the next, since they begin at the time. Changes are kept as those of single
// things. The last ones stand as they came; where there are too many, the oldest are composed where they tell of one thing, but not
// across a place to which somebody may come back.
//
//   [ gone ] [ composed | composed between two places | composed ] [ as they came ........ ] end

import type { FeedMemory } from '../../relay/feed-port.ts';
import type { Composer } from '../subscription/composer.ts';
import { type Change, documentBytes } from '../subscription/documents.ts';
import { isNothing, joinedChange } from './joined-change.ts';
import type { Told } from './rev.ts';

/** Places of a microsecond, and of one change, which may be told as two. */
const MICROSECONDS = 1000;
const PARTS = 2;

/** Changes that a share keeps if nothing else is said. */
export const HISTORY_DOCUMENTS = 10_000;

/** What part of the changes that are kept stand as they came in any case, and what part of them is composed at once. */
const AS_THEY_CAME = 2;
const AT_ONCE = 64;
/** What a change is beside its document. */
const KEPT = 160;

/** The settings of a history. */
export interface HistorySettings {
  /** How many changes of things are kept. */
  readonly most: number;
  /** The changes of single things that a change is, each with a place of its own. */
  readonly singles: (change: Change) => readonly Change[];
  readonly memory: Pick<FeedMemory, 'addState'>;
}

/** A reader of revisions. */
export interface HistoryReader {
  /** The places to which its client may come back. */
  readonly places: readonly number[];
}

/** What is kept of one thing: its change from before one place to another. */
interface Kept {
  readonly key: string;
  readonly from: number;
  readonly at: number;
  readonly change: Change;
}

/** Changes between two places, one for each thing, in the order of their last places. */
interface Stretch {
  readonly kept: Map<string, Kept>;
  end: number;
}

/** The history of a share. */
export class History {
  readonly #settings: HistorySettings;
  readonly #asTheyCame: number;
  readonly #atOnce: number;
  readonly #readers = new Set<HistoryReader>();
  /** Places behind those that are composed, to which somebody who has left may come back. */
  readonly #left = new Set<number>();
  #composed: Stretch[] = [];
  #recent: Kept[] = [];
  /** How many at the front of the recent ones are gone. */
  #gone = 0;
  #size = 0;
  /** The place from which on all is there, and up to which it is composed. */
  #start: number;
  #composedTo: number;
  #end: number;

  constructor(settings: HistorySettings) {
    this.#settings = settings;
    this.#asTheyCame = Math.floor(settings.most / AS_THEY_CAME);
    this.#atOnce = Math.max(1, Math.floor(settings.most / AT_ONCE));
    this.#start = Math.floor(Date.now() * MICROSECONDS);
    this.#composedTo = this.#start;
    this.#end = this.#start;
  }

  /** The place of the last change. */
  get end(): number {
    return this.#end;
  }

  /** Whether anything is ever kept. */
  get isKept(): boolean {
    return this.#settings.most > 0;
  }

  /** How many changes of things are kept. */
  get size(): number {
    return this.#size;
  }

  /** Somebody is told revisions. Returns what says that nothing more is told; where its client may come back to is kept then. */
  follow(reader: HistoryReader): () => void {
    this.#readers.add(reader);
    return () => {
      if (!this.#readers.delete(reader)) return;
      for (const place of reader.places) if (place >= this.#composedTo) this.#left.add(place);
    };
  }

  /** Gives a change its place, and keeps it. */
  placed(change: Change): Change {
    this.#end += PARTS;
    const placed = { ...change, at: this.#end };
    for (const single of this.#settings.singles(placed)) {
      const { key = '', at = this.#end } = single;
      this.#recent.push({ key, from: at, at, change: single });
      this.#weigh(single, 1);
    }
    this.#fit();
    return placed;
  }

  /** The net change since then, once for each thing; `undefined` where it is not known any more. */
  since({ at, extent }: Told): readonly Change[] | undefined {
    if (extent === 'part') return undefined;
    const { from, to } = extent === 'all' ? { from: at, to: at } : extent;
    if (from < this.#start || Math.max(at, to) > this.#end) return undefined;
    const later = this.#after(from);
    // Of what is composed across one of the places it is not known what it was there.
    const isHidden = (kept: Kept, place: number): boolean => kept.from <= place && place < kept.at;
    if (later.some((kept) => isHidden(kept, from) || isHidden(kept, to))) return undefined;
    const last = new Map<string, number>();
    for (const kept of later) if (kept.at <= to) last.set(kept.key, kept.at);
    const net = new Map<string, Change>();
    for (const kept of later) {
      if (kept.at <= to && (last.get(kept.key) ?? 0) <= at) continue;
      const before = net.get(kept.key);
      net.set(kept.key, before === undefined ? kept.change : joinedChange(before, kept.change));
    }
    return inOrder([...net.values()].filter((change) => !isNothing(change)));
  }

  /** Lets go of everything: nothing is taken up from before now. */
  clear(): void {
    while (this.#size > 0) this.#drop();
  }

  /** Composes the oldest where they tell of one thing, and lets go of them where that is not enough. */
  #fit(): void {
    const { most } = this.#settings;
    const least = this.#asTheyCame + this.#atOnce;
    while (this.#size > most && this.#recent.length - this.#gone >= least) this.#compose(this.#atOnce);
    while (this.#size > most) this.#drop();
  }

  /** Composes so many more. */
  #compose(count: number): void {
    const pins = this.#pinsBefore(this.#recent[this.#gone + count - 1]?.at ?? this.#end);
    let next = 0;
    for (let left = count; left > 0; left--) {
      const kept = this.#shift();
      if (kept === undefined) break;
      while ((pins[next] ?? Number.POSITIVE_INFINITY) < this.#composedTo) next++;
      const isApart = (pins[next] ?? Number.POSITIVE_INFINITY) < kept.at;
      let stretch = this.#composed.at(-1);
      if (stretch === undefined || isApart) {
        stretch = { kept: new Map(), end: kept.at };
        this.#composed.push(stretch);
      }
      this.#composeInto(stretch, kept);
      this.#composedTo = kept.at;
    }
    for (const place of this.#left) if (place < this.#composedTo) this.#left.delete(place);
  }

  #composeInto(stretch: Stretch, kept: Kept): void {
    const { key, at } = kept;
    stretch.end = at;
    const before = stretch.kept.get(key);
    if (before === undefined) {
      stretch.kept.set(key, kept);
      return;
    }
    const change = joinedChange(before.change, kept.change);
    this.#weigh(before.change, -1);
    this.#weigh(kept.change, -1);
    this.#weigh(change, 1);
    stretch.kept.delete(key);
    stretch.kept.set(key, { key, from: before.from, at, change });
  }

  /** The places before another one to which somebody may come back, in their order. */
  #pinsBefore(end: number): readonly number[] {
    const pins = new Set<number>();
    for (const place of this.#left) if (place < end) pins.add(place);
    for (const { places } of this.#readers) for (const place of places) if (place < end) pins.add(place);
    return [...pins].sort((one, other) => one - other);
  }

  /** What is kept of changes after a place. */
  #after(place: number): readonly Kept[] {
    const later: Kept[] = [];
    for (const { kept, end } of this.#composed) {
      if (end > place) for (const one of kept.values()) if (one.at > place) later.push(one);
    }
    let low = this.#gone;
    for (let high = this.#recent.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#recent[middle]?.at ?? 0) > place) high = middle;
      else low = middle + 1;
    }
    for (const one of this.#recent.slice(low)) later.push(one);
    return later;
  }

  /** Lets go of the oldest. */
  #drop(): void {
    const oldest = this.#shiftComposed() ?? this.#shift();
    if (oldest === undefined) return;
    this.#weigh(oldest.change, -1);
    this.#start = oldest.at;
    this.#composedTo = Math.max(this.#composedTo, oldest.at);
  }

  #shiftComposed(): Kept | undefined {
    const [stretch] = this.#composed;
    const [oldest] = stretch?.kept.values() ?? [];
    if (stretch === undefined || oldest === undefined) return undefined;
    stretch.kept.delete(oldest.key);
    if (stretch.kept.size === 0) this.#composed.shift();
    return oldest;
  }

  #shift(): Kept | undefined {
    const oldest = this.#recent[this.#gone];
    if (oldest === undefined) return undefined;
    this.#gone++;
    if (this.#gone > this.#recent.length / 2) {
      this.#recent = this.#recent.slice(this.#gone);
      this.#gone = 0;
    }
    return oldest;
  }

  #weigh(change: Change, sign: 1 | -1): void {
    this.#size += sign;
    this.#settings.memory.addState(0, sign * (KEPT + documentBytes(change)));
  }
}

/** All that a composer has, in the order of the last changes. */
export function taken(composer: Composer): readonly Change[] {
  const changes: Change[] = [];
  while (composer.size > 0) changes.push(...composer.take());
  return inOrder(changes);
}

function inOrder(changes: Change[]): readonly Change[] {
  return changes.sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
}
