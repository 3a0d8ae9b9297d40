// The terms that may stand after `changes`.

import { refusal } from '../refusal.ts';
import type { CallTerm } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import { optargOf } from './rules/argument.ts';
import { isOrdered } from './united.ts';

/** Refuses a term after `changes` that can have no answer, or one of the fold in place of the feed. */
export function checkAfter(term: CallTerm): void {
  if (ofTheFeedItself.has(term.type)) throw refusal(term, 'it cannot run on the documents of a feed. Leave it out');
  if (readsToTheEnd(term))
    throw refusal(term, 'a feed never ends, so that there would be no answer. Put it before `changes`');
  if (term.type === TermType.FOR_EACH) {
    throw refusal(
      term,
      'a feed never ends, so that there would be no answer. Write from the client, for each document',
    );
  }
  if (isOrdered(term)) throw refusal(term, 'with `interleave` it reads one feed to its end. Leave `interleave` out');
}

/** Terms over a feed whose answer is no feed: what they told would be of the fold in its place. */
const ofTheFeedItself: ReadonlySet<number> = new Set([TermType.INFO, TermType.TYPE_OF, TermType.IS_EMPTY]);

/** Terms that answer when they have read all: on a feed the server calls them terminals. */
const terminals: ReadonlySet<number> = new Set([
  TermType.COUNT,
  TermType.SUM,
  TermType.AVG,
  TermType.MIN,
  TermType.MAX,
  TermType.REDUCE,
  TermType.NTH,
  TermType.CONTAINS,
  TermType.DISTINCT,
  TermType.GROUP,
  TermType.SAMPLE,
  TermType.ORDER_BY,
  TermType.COERCE_TO,
]);

function readsToTheEnd(term: CallTerm): boolean {
  if (term.type === TermType.FOLD) return optargOf(term, 'emit') === undefined;
  if (term.type !== TermType.BRACKET) return terminals.has(term.type);
  const [, place] = term.args;
  return place?.kind === 'datum' && typeof place.value === 'number';
}
