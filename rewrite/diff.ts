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
          t.map(t.setDifference(old, now), (row) => document(t, row, t.expr(null), types)),
          t.map(t.setDifference(now, old), (row) => document(t, t.expr(null), row, types)),
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

/** Pairs rows of the same group; `null` stands for a group that is not there. Only those that differ are looked at. */
function keyedDiff(
  t: Builder,
  old: Term,
  now: Term,
  show: (group: Term, before: Term, after: Term) => Expression,
): Term {
  const sided = (rows: Term, side: string): Term =>
    t.map(
      rows,
      t.func((row) => ({ group: t.bracket(row, 'group'), [side]: row }), 1),
    );
  const sides = t.union(sided(t.setDifference(old, now), 'old'), sided(t.setDifference(now, old), 'now'));
  const merged = t.reduce(
    t.group(sides, 'group'),
    t.func((one, other) => t.merge(one, other), 2),
  );
  const side = (row: Term, name: string): Term => t.branch(t.hasFields(row, name), t.bracket(row, name), t.expr(null));
  return t.map(
    t.bracket(t.ungroup(merged), 'reduction'),
    t.func((row) => show(t.bracket(row, 'group'), side(row, 'old'), side(row, 'now')), 1),
  );
}

/** The difference of two bags, in the order of the rows: equal rows count as often as they are there. */
function bagDiff(t: Builder, old: Term, now: Term, types: boolean, byGroup: boolean): Term {
  const counted = (rows: Term, by: number): Term =>
    t.map(
      rows,
      t.func((row) => [row, by], 1),
    );
  const rows = t.group(
    t.union(counted(old, -1), counted(now, 1)),
    t.func((pair) => t.nth(pair, 0), 1),
  );
  const more = t.ungroup(
    t.sum(
      rows,
      t.func((pair) => t.nth(pair, 1), 1),
    ),
  );
  const listed = (sign: number): Term =>
    t.coerceTo(
      t.concatMap(
        more,
        t.func((row) => {
          const count = t.mul(t.bracket(row, 'reduction'), sign);
          const copies = t.map(
            t.range(count),
            t.func(() => t.bracket(row, 'group'), 1),
          );
          return t.branch(t.gt(count, 0), t.coerceTo(copies, 'array'), t.array());
        }, 1),
      ),
      'array',
    );
  return t.do(
    (gone, come) => {
      if (gone === undefined || come === undefined) return [];
      return byGroup ? groupsFirst(t, gone, come, types) : paired(t, gone, come, types);
    },
    listed(-1),
    listed(1),
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
