// Adds up the documents of a feed to the state that they tell of, and holds them to the laws on the way: each `old_val` is
// what was there before, and never equals the `new_val`; a document leaves a key out only where null comes or goes.

import { isDeepStrictEqual } from 'node:util';

/** How documents add up. */
export type Shows = 'value' | 'groups' | 'rows';

interface Change {
  readonly group?: unknown;
  readonly old_val?: unknown;
  readonly new_val?: unknown;
  readonly state?: unknown;
  readonly type?: unknown;
}

/** What is not there. */
const NONE = Symbol('none');

/**
 * What a document says was there, and is there. Of a group without types each may be one of two: null does not tell
 * whether the group is null or not there.
 */
interface Transition {
  readonly old: readonly unknown[];
  readonly now: readonly unknown[];
}

interface Group {
  readonly group: unknown;
  /** What it can be. */
  readonly states: readonly unknown[];
}

/** The state of a feed by its documents. */
export class FeedState {
  readonly #shows: Shows;
  /** Whether a document told of a change: nothing is there from the beginning any more. */
  #changed = false;
  #value: unknown = NONE;
  #groups: readonly Group[] = [];
  readonly #rows: unknown[] = [];
  #isHealing = false;

  constructor(shows: Shows) {
    this.#shows = shows;
  }

  /** Takes a document in. Throws where it breaks a law. */
  add(document: unknown): void {
    if (!isChange(document)) throw new Error(`not a change: ${JSON.stringify(document)}`);
    if (document.state !== undefined) {
      if (document.state !== 'alive') this.#isHealing = document.state === 'healing';
      return;
    }
    const isInitial = !('old_val' in document) && (document.type === undefined || document.type === 'initial');
    if (isInitial && this.#changed && document.new_val !== null) throw broken('there is no old_val', document);
    if (!isInitial) this.#changed = true;
    if ('old_val' in document && isSame(document.old_val, document.new_val)) {
      throw broken('nothing changed', document);
    }
    // Where there are no groups, a `default` may stand for the whole answer.
    const shows = this.#shows === 'groups' && !('group' in document) ? 'value' : this.#shows;
    this.#take(shows, document, transitionOf(shows, document));
  }

  /** Whether what it shows is being read again: told where the feed was asked for it. */
  get isHealing(): boolean {
    return this.#isHealing;
  }

  /** The value that a scalar feed shows last; `undefined` before the first. */
  get value(): unknown {
    return this.#value === NONE ? undefined : this.#value;
  }

  /** Whether this is the state that a query without `changes` gave: null stands for no groups, and for no rows. */
  equals(result: unknown, same: (a: unknown, b: unknown) => boolean = isClose): boolean {
    switch (this.#shows) {
      case 'value':
        return this.#value !== NONE && same(this.#value, result);
      case 'groups': {
        const whole = this.value ?? null;
        if (whole !== null) return this.#areGroups([], same) && same(whole, result);
        return this.#areGroups(result ?? [], same);
      }
      case 'rows':
        return sameBag(this.#rows, result ?? [], same);
    }
  }

  toString(): string {
    return JSON.stringify({ value: this.value, groups: [this.value, this.#groups], rows: this.#rows }[this.#shows]);
  }

  /** A text that is equal for two states that show the same; what may be a group that is null counts as none. */
  get shown(): string {
    const groups = this.#groups.flatMap(({ group, states }) =>
      states[0] === NONE ? [] : [JSON.stringify([group, states[0]])],
    );
    return JSON.stringify([this.value, groups.sort(), this.#rows.map((row) => JSON.stringify(row)).sort()]);
  }

  #take(shows: Shows, document: Change, { old, now }: Transition): void {
    switch (shows) {
      case 'value':
        if (this.#value !== NONE) follow(document, old, [this.#value]);
        else if (this.#shows === 'groups') follow(document, old, [NONE, null]);
        this.#value = now[0];
        break;
      case 'groups': {
        const known = this.#groups.find(({ group }) => isSame(group, document.group));
        follow(document, old, known?.states ?? [NONE]);
        this.#groups = [...this.#groups.filter((group) => group !== known), { group: document.group, states: now }];
        break;
      }
      case 'rows': {
        const [gone] = old;
        const at = this.#rows.findIndex((row) => isSame(row, gone));
        if (gone !== NONE && at === -1) throw broken(`it goes, but is not in ${this}`, document);
        if (gone !== NONE) this.#rows.splice(at, 1);
        if (now[0] !== NONE) this.#rows.push(now[0]);
        break;
      }
    }
  }

  #areGroups(result: unknown, same: (a: unknown, b: unknown) => boolean): boolean {
    if (!Array.isArray(result)) return false;
    const isKnown = ({ group }: Group, row: unknown): boolean => isPlain(row) && isSame(group, row['group']);
    return (
      result.every((row) => this.#groups.some((group) => isKnown(group, row))) &&
      this.#groups.every((group) => {
        const row: unknown = result.find((candidate) => isKnown(group, candidate));
        const state = isPlain(row) ? row['reduction'] : NONE;
        return group.states.some((candidate) => candidate === state || same(candidate, state));
      })
    );
  }
}

/** Reads a document. Throws where its keys or its type are not those of what it tells. */
function transitionOf(shows: Shows, document: Change): Transition {
  const { old_val: old, new_val: now, type } = document;
  const typed = (transition: Transition, ...types: readonly string[]): Transition => {
    if (type === undefined || types.some((one) => one === type)) return transition;
    throw broken(`it is one of ${types}`, document);
  };
  if (!('old_val' in document)) {
    const types = now === null && shows !== 'value' ? ['initial', 'add'] : ['initial'];
    return typed({ old: [NONE], now: [now] }, ...types);
  }
  if (!('new_val' in document)) {
    if (old !== null || shows === 'value') throw broken('there is no new_val', document);
    return typed({ old: [null], now: [NONE] }, 'remove');
  }
  const usual = old === null ? 'add' : now === null ? 'remove' : 'change';
  switch (shows) {
    case 'value':
      return typed({ old: [old], now: [now] }, usual);
    case 'rows':
      return typed({ old: [old ?? NONE], now: [now ?? NONE] }, usual);
    case 'groups':
      return typed({ old: ofGroup(old, type, 'add'), now: ofGroup(now, type, 'remove') }, usual, 'change');
  }
}

/** What a side of a group's document can mean; `absent` is the type under which null is no group. */
function ofGroup(side: unknown, type: unknown, absent: string): readonly unknown[] {
  if (side !== null) return [side];
  if (type === undefined) return [NONE, null];
  return type === absent ? [NONE] : [null];
}

function follow(document: Change, old: readonly unknown[], states: readonly unknown[]): void {
  if (old.some((before) => states.some((state) => before === state || isSame(before, state)))) return;
  throw broken(`it follows ${states.map((state) => (state === NONE ? 'nothing' : JSON.stringify(state)))}`, document);
}

function broken(what: string, document: Change): Error {
  return new Error(`${what}: ${JSON.stringify(document)}`);
}

function isChange(document: unknown): document is Change {
  return typeof document === 'object' && document !== null;
}

function sameBag(state: readonly unknown[], result: unknown, same: (a: unknown, b: unknown) => boolean): boolean {
  if (!Array.isArray(result) || result.length !== state.length) return false;
  const left: unknown[] = [...result];
  return state.every((row) => {
    const at = left.findIndex((candidate) => same(row, candidate));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

/** Equal to ReQL: 0 and -0 are. */
export function isSame(a: unknown, b: unknown): boolean {
  return isAlike(a, b, (x, y) => x === y);
}

/** Equal, numbers within a part in 10^9. */
function isClose(a: unknown, b: unknown): boolean {
  return isAlike(a, b, (x, y) => Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(y)));
}

function isAlike(a: unknown, b: unknown, number: (a: number, b: number) => boolean): boolean {
  if (typeof a === 'number' && typeof b === 'number') return number(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isAlike(item, b[at], number));
  }
  if (!isPlain(a) || !isPlain(b)) return isDeepStrictEqual(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isAlike(a[key], b[key], number))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
