// The documents between two moments of what is watched, as ReQL: the server plan's `emit`. The proxy plan shows the same.

import type { FoldableLive, Rows } from './live.ts';
import type { Builder, Expression } from './term/build.ts';
import type { Term } from './term/term.ts';

/** An array of documents: `[]` where nothing differs. */
export function diffTerm(t: Builder, watched: FoldableLive['watched'], old: Term, now: Term, types: boolean): Term {
  switch (watched.kind) {
    case 'aggregate':
    case 'expression':
      return t.branch(t.eq(old, now), [], [document(t, old, now, types)]);
    case 'grouped':
      return unlessEqual(
        t,
        old,
        now,
        keyedDiff(t, old, now, (group, before, after) => ({
          group,
          ...document(t, reduction(t, before), reduction(t, after), types),
        })),
      );
    case 'ungroup':
      return unlessEqual(
        t,
        old,
        now,
        keyedDiff(t, old, now, (_, before, after) => document(t, before, after, types)),
      );
    case 'distinct':
      return unlessEqual(
        t,
        old,
        now,
        t.add(
          t.map(minus(t, old, now), (row) => document(t, row, t.expr(null), types)),
          t.map(minus(t, now, old), (row) => document(t, t.expr(null), row, types)),
        ),
      );
    default:
      return unlessEqual(t, old, now, bagDiff(t, old, now, types, isOrderOfGroups(watched)));
  }
}

/** Whether the rows are groups with their values in an order, of which a change of one is one document. */
export function isOrderOfGroups(rows: Rows): boolean {
  if (rows.kind !== 'top') return false;
  const [part] = rows.of.parts;
  return part?.kind === 'rows' && part.rows.kind === 'ungroup';
}

function unlessEqual(t: Builder, old: Term, now: Term, documents: Term): Term {
  return t.branch(t.eq(old, now), [], documents);
}

function document(t: Builder, old: Term, now: Term, types: boolean): { readonly [key: string]: Expression } {
  const values = { old_val: old, new_val: now };
  if (!types) return values;
  return { ...values, type: t.branch(t.eq(old, null), 'add', t.eq(now, null), 'remove', 'change') };
}

function reduction(t: Builder, row: Term): Term {
  return t.branch(t.eq(row, null), null, t.bracket(row, 'reduction'));
}

/** Pairs rows of the same group; `null` stands for a group that is not there. */
function keyedDiff(
  t: Builder,
  old: Term,
  now: Term,
  show: (group: Term, before: Term, after: Term) => Expression,
): Term {
  const find = (rows: Term, group: Term): Term =>
    t.default(
      t.nth(
        t.filter(
          rows,
          t.func((row) => t.eq(t.bracket(row, 'group'), group), 1),
        ),
        0,
      ),
      null,
    );
  const gone = t.concatMap(
    old,
    t.func(
      (row) =>
        t.do(
          (after) => t.branch(t.eq(row, after), [], [show(t.bracket(row, 'group'), row, after)]),
          find(now, t.bracket(row, 'group')),
        ),
      1,
    ),
  );
  const come = t.concatMap(
    now,
    t.func(
      (row) =>
        t.branch(
          t.eq(find(old, t.bracket(row, 'group')), null),
          [show(t.bracket(row, 'group'), t.expr(null), row)],
          [],
        ),
      1,
    ),
  );
  return t.add(gone, come);
}

/** The difference of two bags: equal rows count as often as they are there. */
function minus(t: Builder, rows: Term, other: Term): Term {
  const step = t.func((state, row) => {
    const at = t.offsetsOf(t.nth(state, 0), (item) => t.eq(item, row));
    return t.do(
      (offsets) =>
        t.branch(
          t.isEmpty(offsets),
          [t.nth(state, 0), t.append(t.nth(state, 1), row)],
          [t.deleteAt(t.nth(state, 0), t.nth(offsets, 0)), t.nth(state, 1)],
        ),
      at,
    );
  }, 2);
  return t.nth(t.fold(rows, [other, []], step), 1);
}

/** The rows that went and those that came, paired: those of one group first, where rows are groups, then in their order. */
function bagDiff(t: Builder, old: Term, now: Term, types: boolean, byGroup: boolean): Term {
  const inOrder = (rows: Term): Term =>
    t.orderBy(
      rows,
      t.func((row) => row, 1),
    );
  return t.do(
    (gone, come) => {
      if (gone === undefined || come === undefined) return [];
      return byGroup ? groupsFirst(t, gone, come, types) : paired(t, gone, come, types);
    },
    inOrder(minus(t, old, now)),
    inOrder(minus(t, now, old)),
  );
}

function groupsFirst(t: Builder, gone: Term, come: Term, types: boolean): Term {
  const sameGroup = (rows: Term, row: Term): Term =>
    t.filter(
      rows,
      t.func((other) => t.eq(t.bracket(other, 'group'), t.bracket(row, 'group')), 1),
    );
  const without = (rows: Term, others: Term): Term =>
    t.filter(
      rows,
      t.func((row) => t.isEmpty(sameGroup(others, row)), 1),
    );
  const changed = t.concatMap(
    gone,
    t.func(
      (before) =>
        t.map(
          sameGroup(come, before),
          t.func((after) => document(t, before, after, types), 1),
        ),
      1,
    ),
  );
  const others = t.do(
    (left, entered) => (left === undefined || entered === undefined ? [] : paired(t, left, entered, types)),
    without(gone, come),
    without(come, gone),
  );
  return t.add(changed, others);
}

function paired(t: Builder, gone: Term, come: Term, types: boolean): Term {
  const at = (rows: Term, index: Term): Term => t.default(t.nth(rows, index), null);
  const count = t.branch(t.gt(t.count(gone), t.count(come)), t.count(gone), t.count(come));
  const documents = t.map(
    t.range(count),
    t.func((index) => document(t, at(gone, index), at(come, index), types), 1),
  );
  return t.coerceTo(documents, 'array');
}
