// Which terms after `changes` are run on documents one by one, and which are left to RethinkDB.

import { pureTerms } from './reql/eval/index.ts';
import type { CallTerm, Term } from './reql/term/term.ts';
import { find } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';

/** How a term is run on documents, by what it does with documents. */
export type StageName = 'each' | 'limit' | 'skip';

/** The terms that can be run so. */
const stageNames: ReadonlyMap<number, StageName> = new Map<number, StageName>([
  [TermType.MAP, 'each'],
  [TermType.FILTER, 'each'],
  [TermType.CONCAT_MAP, 'each'],
  [TermType.BRACKET, 'each'],
  [TermType.GET_FIELD, 'each'],
  [TermType.PLUCK, 'each'],
  [TermType.WITHOUT, 'each'],
  [TermType.MERGE, 'each'],
  [TermType.WITH_FIELDS, 'each'],
  [TermType.HAS_FIELDS, 'each'],
  [TermType.LIMIT, 'limit'],
  [TermType.SKIP, 'skip'],
]);

/** How a term is run on documents; `undefined` for `map` over several sequences, and for the bracket that takes the nth document. */
export function stageNameOf(term: CallTerm): StageName | undefined {
  const [, argument] = term.args;
  if (term.type === TermType.MAP && term.args.length !== 2) return undefined;
  const isNth = term.type === TermType.BRACKET && argument?.kind === 'datum' && typeof argument.value === 'number';
  return isNth ? undefined : stageNames.get(term.type);
}

/** Whether the terms after `changes` can be run on documents one by one. */
export function runsOnDocuments(after: readonly CallTerm[]): boolean {
  return after.every((term) => stageNameOf(term) !== undefined);
}

/** Whether RethinkDB has to run the terms after `changes`: documents are not enough for one, or only a server knows what stands in it. */
export function runsInServer(after: readonly CallTerm[]): boolean {
  return (
    !runsOnDocuments(after) ||
    after.some(({ args, optargs }) => [...args.slice(1), ...optargs.map(([, term]) => term)].some(needsServer))
  );
}

function needsServer(root: Term): boolean {
  return find(root, (term) => term.kind === 'call' && pureTerms[term.type] === undefined) !== undefined;
}
