// Rows for which a function of the query raises NON_EXISTENCE: the one-shot query then has no value, and RethinkDB would
// silently leave them out of a feed. They are counted.

import { count } from '../../aggregates/count.ts';
import type { Value } from '../../live.ts';
import { type Consumer, elementsOfRow, type RowType } from '../../plan/projection.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import type { Analysis } from '../analysis.ts';
import { streamKey } from '../context.ts';
import type { Base, Leaf, Stream, Valued } from '../piece.ts';
import { expressed } from './expressed.ts';

/**
 * A value over a stream whose functions can raise NON_EXISTENCE: like the one-shot query it has none while a row does. What
 * is raised for the elements of a group is counted for all groups together.
 */
export function present(analysis: Analysis, term: CallTerm, bag: Stream, value: Valued): Valued {
  return isGrouped(bag) ? value : unlessMissed(analysis, term, missedBy(analysis, term, bag), value);
}

/** The counts of what raises NON_EXISTENCE on its way to the end of a stream, and on to a consumer where one is given. */
export function missedBy(analysis: Analysis, term: CallTerm, bag: Stream, consumer?: Consumer): readonly Leaf[] {
  const below = missedBelow(bag);
  if (consumer?.mayLackField !== true && !bag.branches.some(({ mayLackField: misses }) => misses)) return below;
  const asIs: Consumer = { term, isIdentity: true, elements: (t, element) => t.array(element) };
  return [...below, missedRows(analysis, term, bag, consumer ?? asIs)];
}

/** The counts of what raises NON_EXISTENCE below a stream, by its branches. */
function missedBelow({ branches }: Stream): readonly Leaf[] {
  return branches.every(({ missed }) => missed.length === 0) ? [] : branches.flatMap(({ missed }) => missed);
}

/** A value that is none while a count is above 0. */
export function unlessMissed(analysis: Analysis, term: CallTerm, missed: readonly Leaf[], value: Valued): Valued {
  if (missed.length === 0) return value;
  const t = analysis.context.builder(term);
  const cases = missed.flatMap(({ id }) => [t.gt(t.var(id), 0), nothing(t)]);
  return { ...value, body: t.branch(...cases, value.body), leaves: [...new Set([...value.leaves, ...missed])] };
}

/** The counts as one value; `undefined` where there are none. */
export function missedValue(analysis: Analysis, term: CallTerm, missed: readonly Leaf[]): Value | undefined {
  const t = analysis.context.builder(term);
  const [first, ...more] = missed.map(({ id }) => t.var(id));
  if (first === undefined) return undefined;
  const body = more.reduce<Term>((sum, count) => t.add(sum, count), first);
  return expressed(analysis.context, { kind: 'value', body, leaves: missed, sequence: false, row: false });
}

/** `contains` stops at what it looks for: a row that it cannot judge matters only while nothing is found. */
export function unlessFound(analysis: Analysis, term: CallTerm, value: Valued, missed: Leaf): Valued {
  const t = analysis.context.builder(term);
  const body = t.branch(value.body, true, t.gt(t.var(missed.id), 0), nothing(t), false);
  return { ...value, body, leaves: [...value.leaves, missed] };
}

/** Raises NON_EXISTENCE. */
function nothing(t: Builder): Term {
  return t.bracket({}, 'value');
}

/** Whether a stream is the elements of one group. */
export function isGrouped(stream: Stream): boolean {
  return stream.branches.some(({ root: base }) => base.kind === 'group');
}

function rowTypeOf(base: Base): RowType {
  if (base.kind === 'join') return base.rows;
  return base.kind === 'selection' ? 'object' : 'any';
}

/** The count of rows that raise NON_EXISTENCE on their way to a consumer. */
export function missedRows(analysis: Analysis, term: CallTerm, bag: Stream, consumer: Consumer): Leaf {
  const { context } = analysis;
  const plain: Stream = {
    ...bag,
    branches: bag.branches.map((branch) => ({ ...branch, chain: [], native: 0, mayLackField: false })),
  };
  const key = consumer.isIdentity === true ? streamKey(bag) : undefined;
  return context.leaf(key && (() => `missed of ${key()}`), () => ({
    kind: 'aggregate',
    aggregate: count,
    term,
    of: {
      parts: bag.branches.flatMap((branch, index) => {
        const below = plain.branches[index];
        if (below === undefined) return [];
        const elements = (t: Builder, row: Term): Term => {
          const made = elementsOfRow(t, branch, consumer, row, context.fresh, rowTypeOf(branch.root));
          return t.default(t.branch(t.lt(t.count(made), 0), [], []), [1]);
        };
        const counted: Consumer = {
          term,
          mayRaise: branch.mayRaise || consumer.mayRaise === true,
          misses: { chain: branch.chain, consumer },
          elements,
        };
        return context.consume({ ...plain, branches: [below] }, counted).parts;
      }),
    },
  }));
}
