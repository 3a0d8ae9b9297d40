// Queries that nest deeper than the stack of JavaScript holds, as RethinkDB takes them: `1 + 1 + ..` twenty thousand times.
// Every so many terms the inner part is run first and its outcome held until the term around it asks for it.

import { signatureOf } from '../../term/signatures.ts';
import type { CallTerm, Term } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import { type Compiled, compiled } from './compiled.ts';
import type { Value } from './value.ts';

/** How many nested terms run on the stack. */
const LINKS = 200;

/** The least text that a term takes, `{"a":0}` about. */
const LEAST_TEXT = 5;

/** A part of a query that is run before the rest; what it gave, or raised, comes out where the rest evaluates it. */
export class Held {
  readonly compiled: Compiled;
  readonly #part: Compiled;
  #outcome: { readonly value: Value } | { readonly error: unknown } = { value: null };

  constructor(part: Compiled) {
    this.#part = part;
    this.compiled = compiled(part.term, part.determinism, () => this.#take(), part.maker);
  }

  run(): void {
    try {
      this.#outcome = { value: this.#part.eval(undefined) };
    } catch (error) {
      this.#outcome = { error };
    }
  }

  #take(): Value {
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.value;
  }
}

/** The terms to run first, innermost first: along the deepest path of a query, as far as each term is sure to evaluate it. */
export function deepLinks(term: Term): readonly Term[] {
  // Most queries are too short to be deep.
  if (term.text !== undefined && term.text.length < LINKS * LEAST_TEXT) return [];
  const links: Term[] = [];
  const depths = depthsOf(term);
  let place = 0;
  for (let at: Term | undefined = term; at !== undefined; at = deepest(at, depths)) {
    place += 1;
    if (place % LINKS === 0 && at.kind !== 'datum') links.push(at);
  }
  return links.reverse();
}

/** How deep each term on a sure path is, in terms. */
function depthsOf(term: Term): ReadonlyMap<Term, number> {
  const before: Term[] = [];
  const waiting = [term];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    before.push(at);
    for (const child of sureChildren(at)) waiting.push(child);
  }
  const depths = new Map<Term, number>();
  for (const at of before.toReversed()) {
    let depth = 0;
    for (const child of sureChildren(at)) depth = Math.max(depth, depths.get(child) ?? 0);
    depths.set(at, depth + 1);
  }
  return depths;
}

function deepest(term: Term, depths: ReadonlyMap<Term, number>): Term | undefined {
  let found: Term | undefined;
  for (const child of sureChildren(term)) {
    if (found === undefined || (depths.get(child) ?? 0) > (depths.get(found) ?? 0)) found = child;
  }
  return found;
}

/** Terms that evaluate only their first argument at once, or the others with `literal`. */
const FIRST_ONLY: ReadonlySet<number> = new Set<number>([
  TermType.BRANCH,
  TermType.AND,
  TermType.OR,
  TermType.DEFAULT,
  TermType.MERGE,
  TermType.FILTER,
  TermType.FOR_EACH,
]);

/** The parts of a term that are evaluated once, whenever the term is, and where the term itself stands. */
function sureChildren(term: Term): readonly Term[] {
  if (term.kind === 'datum') return [];
  if (term.kind === 'object') return term.fields.map(([, field]) => field);
  return sureArguments(term);
}

function sureArguments({ type, args }: CallTerm): readonly Term[] {
  if (type === TermType.FUNC || type === TermType.VAR) return [];
  const signature = signatureOf(type);
  const firstOnly = FIRST_ONLY.has(type) || signature === undefined || signature.rewritten || signature.writes;
  return firstOnly ? args.slice(0, 1) : args;
}
