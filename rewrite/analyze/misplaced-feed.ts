// Live feeds where no feed can be: RethinkDB would refuse the aggregate below such a `changes` in words that tell nobody what to
// do. The refusal names the term that the feed is given to.

import { Refusal, refusal } from '../refusal.ts';
import { logicError, type ReqlError } from '../reql/error.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { childrenOf } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { findChanges } from './find-changes.ts';

const NO_VALUE = 'a feed is no value in it. Unite the feeds, or open each by itself';

/** What would work, by the term that the feed is given to. */
const advice: ReadonlyMap<number, string> = new Map([
  [
    TermType.BRANCH,
    'which feed it gives was decided once. Read the condition first, and open the feed that it chooses',
  ],
  [TermType.INSERT, 'a feed never ends, so that it would never be written. Write its documents from the client'],
  [TermType.FUNCALL, 'a feed is no value in it. Write the terms behind the feed'],
  [TermType.UNION, 'with `interleave` it reads one feed to its end. Leave `interleave` out'],
]);

/** A union without `interleave` takes feeds, but for those in functions. */
function adviceFor({ type, optargs }: CallTerm): string | undefined {
  return type === TermType.UNION && optargs.length === 0 ? undefined : advice.get(type);
}

const IN_A_FUNCTION = 'a feed cannot be opened inside a function. Open it by itself';

/** A term, and what it is an argument of. */
interface Visited {
  readonly term: Term;
  readonly above: Visited | undefined;
}

/**
 * The refusal of a query with a feed of ours that is not what the query gives; `undefined` where there is none.
 * @param isOurs whether a CHANGES term is one that RethinkDB does not watch by itself
 */
export function misplacedFeed(root: Term, isOurs: (changes: CallTerm) => boolean): ReqlError | undefined {
  const left: Visited[] = [{ term: root, above: undefined }];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { term } = at;
    const place = term.kind === 'call' && term.type === TermType.CHANGES ? placeOf(at) : undefined;
    if (place !== undefined && term.kind === 'call' && isOurs(term) && isWanted(place, isOurs)) return refused(place);
    for (const child of childrenOf(term).toReversed()) left.push({ term: child, above: at });
  }
  return undefined;
}

/** The term that a feed is given to, and whether in a function of it. */
interface Place {
  /** `undefined` where that is an object that is all of the query. */
  readonly to: CallTerm | undefined;
  readonly inFunction: boolean;
}

/** Whether the feed is surely read: what a `branch` or a `default` does not choose RethinkDB does not look at. */
function isWanted({ to }: Place, isOurs: (changes: CallTerm) => boolean): boolean {
  if (to?.type === TermType.DEFAULT) return false;
  if (to?.type !== TermType.BRANCH) return true;
  const values = to.args.filter((_, at) => at % 2 === 1 || at === to.args.length - 1);
  return values.every((value) => {
    const found = findChanges(value);
    return found !== undefined && isOurs(found.changes);
  });
}

/** `undefined` where the feed, or what terms make of its documents, is all that the query gives. */
function placeOf(changes: Visited): Place | undefined {
  let inFunction = false;
  let inObject = false;
  let below: Visited = changes;
  for (let at = changes.above; at !== undefined; below = at, at = at.above) {
    const { term } = at;
    inObject ||= term.kind === 'object';
    if (term.kind !== 'call') continue;
    if (term.type === TermType.CHANGES) return { to: term, inFunction };
    if (term.type === TermType.FUNC) inFunction = true;
    else if (inFunction || inObject || term.args[0] !== below.term || takesValues.has(term.type))
      return { to: term, inFunction };
  }
  return inObject ? { to: undefined, inFunction } : undefined;
}

/** Terms that make nothing of the documents of a feed that is their first argument. */
const takesValues: ReadonlySet<number> = new Set([TermType.MAKE_ARRAY, TermType.BRANCH, TermType.FUNCALL]);

function refused({ to, inFunction }: Place): ReqlError {
  if (to === undefined) {
    return new Refusal(
      'Cannot watch a query with a feed inside an object: a feed is no value in it. Open it by itself.',
      undefined,
    );
  }
  if (to.type === TermType.CHANGES) return logicError('Cannot call `changes` on an eager stream.', to.origin);
  return refusal(to, adviceFor(to) ?? (inFunction ? IN_A_FUNCTION : NO_VALUE));
}
