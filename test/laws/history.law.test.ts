// The history of a share, held to one that forgets nothing: what it says has changed since a place is exactly that, and it knows when it
// has to. LIVEFOLD_RUNS says how often.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { History, type HistoryReader } from '../../proxy/feed/revisions/history.ts';
import type { Told } from '../../proxy/feed/revisions/rev.ts';
import type { Change } from '../../proxy/feed/subscription/documents.ts';
import { singleParts } from '../../proxy/feed/subscription/named-parts.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';

const RUNS = Math.max(Number(process.env['LIVEFOLD_RUNS'] ?? 1), 300);

/** A thing gets a value, or goes; the first thing takes the place of the second; somebody follows, or leaves. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ key: fc.nat(4), now: fc.option(fc.nat(2), { nil: undefined }) }) },
  { weight: 1, arbitrary: fc.constant('swap' as const) },
  { weight: 2, arbitrary: fc.constantFrom('follow' as const, 'leave' as const) },
);

/** A history beside all that has been put into it. */
class Play {
  readonly history: History;
  bytes = 0;
  /** The state before the first change and after each place. */
  readonly states: { readonly at: number; readonly state: ReadonlyMap<number, number> }[];
  #state = new Map<number, number>();
  readonly #readers: { readonly places: number[]; readonly leave: () => void }[] = [];

  constructor(most: number) {
    this.history = new History({
      most,
      singles: (change) => singleParts(change, { paths: [['id']] }),
      memory: { addState: (_, bytes) => (this.bytes += bytes) },
    });
    this.states = [{ at: this.history.end, state: new Map() }];
  }

  get state(): ReadonlyMap<number, number> {
    return this.#state;
  }

  take(one: { readonly key: number; readonly now: number | undefined } | 'swap' | 'follow' | 'leave'): void {
    if (one === 'follow') this.follow();
    else if (one === 'leave') this.#readers.shift()?.leave();
    else if (one === 'swap') this.#swap();
    else this.#set(one.key, one.now);
    for (const { places } of this.#readers) places.splice(0, places.length, this.history.end);
  }

  follow(): void {
    const reader: HistoryReader & { readonly places: number[] } = { places: [this.history.end] };
    this.#readers.push({ places: reader.places, leave: this.history.follow(reader) });
  }

  #set(key: number, now: number | undefined): void {
    const old = this.#state.get(key);
    if (old !== now) this.#tell(rowOf(key, old), rowOf(key, now));
    this.#put(key, now);
  }

  /** One row takes the place of another, which is told as two changes. */
  #swap(): void {
    const [gone, come] = this.#state.has(0) ? [0, 1] : [1, 0];
    const [old, now] = [this.#state.get(gone), this.#state.get(come)];
    if (old === undefined || now !== undefined) return;
    const placed = this.#tell(rowOf(gone, old), rowOf(come, old));
    this.#state.delete(gone);
    this.states.push({ at: placed - 1, state: new Map(this.#state) });
    this.#put(come, old);
  }

  #tell(old: Datum | undefined, now: Datum | undefined): number {
    const { at = 0 } = this.history.placed({ kind: 'change', of: 'row', key: undefined, group: undefined, old, now });
    return at;
  }

  #put(key: number, now: number | undefined): void {
    if (now === undefined) this.#state.delete(key);
    else this.#state.set(key, now);
    if (this.history.end > (this.states.at(-1)?.at ?? 0)) {
      this.states.push({ at: this.history.end, state: new Map(this.#state) });
    }
  }
}

function rowOf(id: number, n: number | undefined): Datum | undefined {
  return n === undefined ? undefined : { id, n };
}

/** What differs between two states, each thing once. */
function between(old: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>): ReadonlySet<string> {
  const keys = new Set([...old.keys(), ...now.keys()]);
  return new Set(
    [...keys]
      .filter((key) => old.get(key) !== now.get(key))
      .map((key) => text(rowOf(key, old.get(key)), rowOf(key, now.get(key)))),
  );
}

function text(old: Datum | undefined, now: Datum | undefined): string {
  return JSON.stringify([old ?? null, now ?? null]);
}

function told(changes: readonly Change[]): ReadonlySet<string> {
  const texts = changes.map((change) => (change.kind === 'change' ? text(change.old, change.now) : 'outputs'));
  expect(new Set(texts).size).toBe(texts.length);
  return new Set(texts);
}

test('what has changed since a place is exactly that, wherever it is known, and the last half always is', () => {
  const met = { known: 0, gone: 0 };
  fc.assert(
    fc.property(fc.nat(12), fc.array(step, { maxLength: 40 }), (most, steps) => {
      const play = new Play(most);
      for (const one of steps) {
        play.take(one);
        expect(play.history.size).toBeLessThanOrEqual(most);
      }
      for (const [index, { at, state }] of play.states.entries()) {
        const net = play.history.since({ at, nth: 0, extent: 'all' });
        met[net === undefined ? 'gone' : 'known']++;
        if (net !== undefined) expect(told(net)).toEqual(between(state, play.state));
        else expect(play.states.length - 1 - index).toBeGreaterThan(Math.floor(most / 2));
      }
      play.history.clear();
      expect([play.bytes, play.history.size]).toEqual([0, 0]);
      expect(play.history.since({ at: play.history.end, nth: 0, extent: 'all' })).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined },
  );
  expect(Math.min(met.known, met.gone)).toBeGreaterThan(RUNS / 10);
});

test('where somebody has left is known, however much has changed, while those are few things', () => {
  const [most, things] = [16, 6];
  const change = fc.record({ key: fc.nat(things - 1), now: fc.option(fc.nat(2), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), fc.array(change, { maxLength: 200 }), (before, after) => {
      const play = new Play(most);
      play.follow();
      for (const one of before) play.take(one);
      play.take('leave');
      const at = play.history.end;
      const then = new Map(play.state);
      for (const one of after) play.take(one);
      const net = play.history.since({ at, nth: 0, extent: 'all' });
      expect(net && told(net)).toEqual(between(then, play.state));
    }),
    { numRuns: RUNS, endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined },
  );
});

test('who stopped in the middle of a net change is told the rest of it, and what came since', () => {
  let known = 0;
  fc.assert(
    fc.property(
      fc.nat(12),
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.nat(),
      fc.nat(),
      (most, steps, one, other) => {
        const play = new Play(most);
        for (const each of steps) play.take(each);
        const [from, to] = [one % play.states.length, other % play.states.length].sort((a, b) => a - b);
        const [first, second] = [play.states[from ?? 0], play.states[to ?? 0]];
        if (first === undefined || second === undefined) return;
        // The net change between the two, of which some has been told, in the order of the last changes.
        const changed = lastPlaces(play, first.at, second.at);
        for (const at of new Set(changed.values())) {
          const state = new Map(first.state);
          for (const [key, place] of changed) {
            if (place > at) continue;
            const value = second.state.get(key);
            if (value === undefined) state.delete(key);
            else state.set(key, value);
          }
          const extent: Told['extent'] = { from: first.at, to: second.at };
          const net = play.history.since({ at, nth: 0, extent });
          if (net === undefined) continue;
          known++;
          expect(told(net)).toEqual(between(state, play.state));
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined },
  );
  expect(known).toBeGreaterThan(RUNS / 10);
});

/** When each thing changed last between two places. */
function lastPlaces({ states }: Play, from: number, to: number): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  for (const [index, { at, state }] of states.entries()) {
    const before = states[index - 1]?.state;
    if (at <= from || at > to || before === undefined) continue;
    for (const key of new Set([...before.keys(), ...state.keys()])) {
      if (before.get(key) !== state.get(key)) last.set(key, at);
    }
  }
  return last;
}
