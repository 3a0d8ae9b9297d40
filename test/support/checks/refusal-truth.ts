// Whether the refusal of a query is true: the term that it names is in the query, and so is what it says of it.

import { signatureOf } from '../../../rewrite/reql/term/signatures.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { visit } from '../../../rewrite/reql/term/walk.ts';
import { evaluate } from '../evaluate.ts';

/** What is in the way: what the text of a refusal says, and what a query has to have for that to be true. */
type Claim = readonly [says: RegExp, isIn: (names: ReadonlySet<string>, text: string) => boolean];

const has =
  (...some: readonly string[]) =>
  (names: ReadonlySet<string>): boolean =>
    some.some((name) => names.has(name));

const claims: readonly Claim[] = [
  [/depends on an order that is lost in it\. Move the `orderBy` behind/, has('orderBy')],
  [
    /depends on an order that is lost in it\. Put an `orderBy` behind/,
    has('limit', 'skip', 'slice', 'distinct', 'ungroup'),
  ],
  [/depends on an order that is lost in it\. Order the union/, has('union')],
  [/depends on a variable of a function (?:around it|within)\./, (_, text) => / => .* => /.test(text)],
  [/joins the rows of each group\./, has('group')],
  [/joins rows that are looked up\./, has('getAll', 'filter')],
  [/looks things up for each element of a group\./, has('group')],
  [/looks things up for each of the rows that are looked up\./, (_, text) => / => .* => /.test(text)],
  [/stands on a list that is made as a whole\./, has('coerceTo', 'skip', 'slice', 'nth', 'ungroup')],
  [/for each element of a part of an order\./, has('limit', 'skip', 'slice')],
  [/stands on a part of an order\./, has('limit', 'skip', 'slice')],
];

/** What RethinkDB says of a place from the end of a stream, once there is a row for which a function takes it. */
const OF_STREAM = /^Cannot (?:use .*|slice .*) on a stream\.$/;
const PLACE_FROM_END = / => .*\.(?:nth|slice)\((?:\d, )?-\d\)/;

/** Why a refusal is not true of a query; `undefined` where it is. */
export function untruth(refusal: string, text: string): string | undefined {
  if (OF_STREAM.test(refusal)) return PLACE_FROM_END.test(text) ? undefined : 'no function takes a place from the end';
  const named = /^Cannot watch a query (?:with|whose) `(\w+)`/.exec(refusal)?.[1];
  if (named === undefined) return 'it names no term';
  const names = namesIn(evaluate(text));
  if (!names.has(named)) return `there is no ${named} in the query`;
  const claim = claims.find(([says]) => says.test(refusal));
  if (claim === undefined) return 'nobody knows whether that is true';
  return claim[1](names, text) ? undefined : 'that is not so';
}

/** Whether an error at opening refuses a query that RethinkDB may answer at that moment. */
export function isRefusal(text: string): boolean {
  return text.startsWith('Cannot watch a query ') || OF_STREAM.test(text);
}

function namesIn(root: Term): ReadonlySet<string> {
  const names = new Set<string>();
  visit(root, (term) => {
    const name = term.kind === 'call' ? signatureOf(term.type)?.driver : undefined;
    if (name !== undefined) names.add(name);
    return undefined;
  });
  return names;
}
