// Adds up the documents of a feed of merges, and holds them to the laws: each body leads on, each reverse leads back to what was there
// before, and what is composed of all bodies of one thing is its change from first to last.

import { applyMerge, composeMerges, type Merge } from '../../../rewrite/merge/index.ts';
import { isSame, type Shows } from './feed-state.ts';

interface MergeDocument {
  readonly key?: unknown;
  readonly group?: unknown;
  readonly body: Merge;
  readonly reverse?: Merge;
  readonly type?: string;
}

/** One thing that documents tell of. */
interface Thing {
  readonly group: unknown;
  readonly value: unknown;
}

/** A change that was told. */
interface Step extends MergeDocument {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The state that the documents of a feed of merges tell of. */
export class MergeState {
  readonly #shows: Shows;
  readonly #things = new Map<string, Thing>();
  readonly #steps: Step[] = [];

  constructor(shows: Shows) {
    this.#shows = shows;
  }

  /** Takes a document in. Throws where it breaks a law. */
  add(document: unknown): void {
    if (typeof document !== 'object' || document === null) throw new TypeError(`no document: ${document}`);
    if ('state' in document) return;
    if (!isMerge(document)) throw new Error(`no merge: ${JSON.stringify(document)}`);
    const { body, reverse } = document;
    const name = nameOf(document);
    const before = this.#things.get(name)?.value;
    const after = applyMerge(before, body);
    if (reverse !== undefined) {
      if (!isSame(applyMerge(after, reverse), before)) throw broken('its reverse does not lead back', document, before);
      if (isSame(before, after)) throw broken('nothing changed', document, before);
      if (!isSame(applyMerge(after, body), after)) throw broken('it is not the same twice', document, before);
    } else if (this.#steps.length > 0) {
      throw broken('there is no reverse', document, before);
    }
    if (reverse !== undefined) this.#steps.push({ ...document, name, before, after });
    if (after === undefined) this.#things.delete(name);
    else this.#things.set(name, { group: document.group, value: after });
  }

  /** Holds what was told to the laws over all of it: compositions, and the way back. */
  check(): void {
    const first = new Map<string, { readonly before: unknown; readonly body: Merge; readonly reverse: Merge }>();
    for (const { name, before, body, reverse = null } of this.#steps) {
      const known = first.get(name);
      first.set(name, {
        before: known === undefined ? before : known.before,
        body: known === undefined ? body : composeMerges(known.body, body),
        reverse: known === undefined ? reverse : composeMerges(reverse, known.reverse),
      });
    }
    for (const [name, { before, body, reverse }] of first) {
      const now = this.#things.get(name)?.value;
      if (!isSame(applyMerge(before, body), now)) throw new Error(`composed, ${name} ends otherwise`);
      if (!isSame(applyMerge(now, reverse), before)) throw new Error(`composed, ${name} begins otherwise`);
    }
    const back = new Map([...this.#things].map(([name, { value }]) => [name, value]));
    for (const { name, before, reverse = null } of this.#steps.toReversed()) {
      const value = applyMerge(back.get(name), reverse);
      if (!isSame(value, before)) throw new Error(`on the way back, ${name} is ${JSON.stringify(value)}`);
      back.set(name, value);
    }
  }

  /** Whether this is what a query without `changes` gave. */
  equals(result: unknown): boolean {
    const whole = this.#things.get(THE_VALUE)?.value;
    switch (this.#shows) {
      case 'value':
        return this.#things.has(THE_VALUE) && isSame(whole, result);
      case 'groups': {
        const groups = [...this.#things].filter(([name]) => name !== THE_VALUE).map(([, thing]) => thing);
        if (whole !== undefined && whole !== null) return groups.length === 0 && isSame(whole, result);
        return sameBag(
          groups.map(({ group, value }) => ({ group, reduction: value })),
          result ?? [],
        );
      }
      case 'rows':
        return sameBag(
          [...this.#things.values()].map(({ value }) => value),
          result ?? [],
        );
    }
  }

  toString(): string {
    return JSON.stringify([...this.#things]);
  }
}

const THE_VALUE = 'the value';

function nameOf(document: MergeDocument): string {
  if (!('key' in document) && !('group' in document)) return THE_VALUE;
  return JSON.stringify([document.group, document.key]);
}

function isMerge(document: object): document is MergeDocument {
  return 'body' in document && !('new_val' in document) && !('old_val' in document);
}

function broken(what: string, document: MergeDocument, before: unknown): Error {
  return new Error(`${what}: ${JSON.stringify(document)}, before was ${JSON.stringify(before)}`);
}

function sameBag(state: readonly unknown[], result: unknown): boolean {
  if (!Array.isArray(result) || result.length !== state.length) return false;
  const left: unknown[] = [...result];
  return state.every((row) => {
    const at = left.findIndex((candidate) => isSame(row, candidate));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}
