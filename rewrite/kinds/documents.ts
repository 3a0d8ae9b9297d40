// The documents that a fold inside RethinkDB shows, as ReQL: of what is there at first, and between two moments, for one value, for
// groups and for rows. The proxy plan shows the same.

import type { Builder, Expression, Fields } from '../reql/build/build.ts';
import type { Term } from '../reql/term/term.ts';

/** Writes the array of documents of what is there at first. */
type Initial = (t: Builder, now: Term, type: string | undefined) => Term;

/** Writes the array of documents between two moments, which differ. */
type Between = (t: Builder, old: Term, now: Term, types: boolean) => Term;

/** The one value. */
export const valueInitial: Initial = (t, value, type) => t.array({ new_val: value, type });

/** Groups, as an array of `{group, reduction}`. */
export const groupsInitial: Initial = (t, groups, type) =>
  t.map(
    groups,
    t.func((row) => ({ group: t.bracket(row, 'group'), new_val: t.bracket(row, 'reduction'), type }), 1),
  );

/** Rows. */
export const rowsInitial: Initial = (t, rows, type) =>
  t.map(
    rows,
    t.func((row) => ({ new_val: row, type }), 1),
  );

/** The one value; null stands for none. */
export const valueBetween: Between = (t, old, now, types) => t.array(documentOfValue(t, old, now, types));

/** Groups, as arrays of `{group, reduction}`. */
export const groupsBetween: Between = (t, old, now, types) =>
  keyedDiff(t, old, now, (group, before, after) => {
    const reduction = (row: Term): Term => t.bracket(row, 'reduction');
    return {
      comes: t.merge({ group }, coming(t, reduction(after), types)),
      goes: t.merge({ group }, going(t, reduction(before), types)),
      changes: { group, ...change(reduction(before), reduction(after), types) },
    };
  });

/** Rows of which equal ones are there once. */
const ofSet: Between = (t, old, now, types) =>
  t.add(
    t.map(t.setDifference(old, now), (row) => going(t, row, types)),
    t.map(t.setDifference(now, old), (row) => coming(t, row, types)),
  );

/** Rows `{group, ...}`, of which those of one group are one row that changes. */
const ofGroups: Between = (t, old, now, types) =>
  keyedDiff(t, old, now, (_, before, after) => ({
    comes: coming(t, after, types),
    goes: going(t, before, types),
    changes: change(before, after, types),
  }));

/** Rows, by how they are told apart: equal rows count as often as they are there, but for those of a set. */
export const rowsBetween = {
  ofSet,
  ofGroups,
  ofBag: (t, old, now, types) => bagDiff(t, old, now, types, paired),
  /** Rows that are groups with their values: what comes in the place of a row of its group is a change of it. */
  ofBagOfGroups: (t, old, now, types) => bagDiff(t, old, now, types, groupsFirst),
} as const satisfies Readonly<Record<string, Between>>;

/** A document; a field that is `undefined` is left out. */
interface Document extends Fields {
  readonly old_val?: Expression;
  readonly new_val?: Expression;
  readonly type: Expression | undefined;
}

/** A change of the one value of a feed: null stands for no value. */
function documentOfValue(t: Builder, old: Term, now: Term, types: boolean): Document {
  const type = t.branch(t.eq(old, null), 'add', t.eq(now, null), 'remove', 'change');
  return { old_val: old, new_val: now, type: types ? type : undefined };
}

/** A group or a row that is there before and after; null is a value like others. */
function change(old: Term, now: Term, types: boolean): Document {
  return { old_val: old, new_val: now, type: types ? 'change' : undefined };
}

/** A group or a row that was not there. What is null leaves out the other key. */
function coming(t: Builder, now: Term, types: boolean): Term {
  const type = types ? 'add' : undefined;
  return t.branch(t.eq(now, null), { new_val: now, type }, { new_val: now, type, old_val: null });
}

/** A group or a row that is there no more. */
function going(t: Builder, old: Term, types: boolean): Term {
  const type = types ? 'remove' : undefined;
  return t.branch(t.eq(old, null), { old_val: old, type }, { old_val: old, type, new_val: null });
}

/** What happened to a group: the documents for each case. */
interface Fates {
  readonly comes: Expression;
  readonly goes: Expression;
  readonly changes: Expression;
}

/** Pairs rows of the same group. Only those that differ are looked at. */
function keyedDiff(t: Builder, old: Term, now: Term, show: (group: Term, before: Term, after: Term) => Fates): Term {
  const gone = t.map(
    t.setDifference(old, now),
    t.func((row) => ({ group: t.bracket(row, 'group'), old: row }), 1),
  );
  const come = t.map(
    t.setDifference(now, old),
    t.func((row) => ({ group: t.bracket(row, 'group'), now: row }), 1),
  );
  const sides = t.union(gone, come);
  const merged = t.reduce(
    t.group(sides, 'group'),
    t.func((one, other) => t.merge(one, other), 2),
  );
  return t.map(
    t.bracket(t.ungroup(merged), 'reduction'),
    t.func((row) => {
      const { comes, goes, changes } = show(t.bracket(row, 'group'), t.bracket(row, 'old'), t.bracket(row, 'now'));
      return t.branch(t.not(t.hasFields(row, 'old')), comes, t.not(t.hasFields(row, 'now')), goes, changes);
    }, 1),
  );
}

/** The difference of two bags, in the order of the rows: equal rows count as often as they are there. */
function bagDiff(t: Builder, old: Term, now: Term, types: boolean, show: Between): Term {
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
      return show(t, gone, come, types);
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
          t.func((after) => change(before, after, types), 1),
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

/** Rows that went and rows that came, one by one. Null in a pair would be no row at all. */
function paired(t: Builder, gone: Term, come: Term, types: boolean): Term {
  const isNull = (row: Term): Term => t.eq(row, null);
  const nulls = t.add(
    t.map(t.filter(gone, isNull), (row) => going(t, row, types)),
    t.map(t.filter(come, isNull), (row) => coming(t, row, types)),
  );
  const others = t.do(
    (left, entered) => (left === undefined || entered === undefined ? [] : pairs(t, left, entered, types)),
    t.filter(gone, (row: Term) => t.not(isNull(row))),
    t.filter(come, (row: Term) => t.not(isNull(row))),
  );
  return t.add(nulls, others);
}

function pairs(t: Builder, gone: Term, come: Term, types: boolean): Term {
  const both = t.branch(t.lt(t.count(gone), t.count(come)), t.count(gone), t.count(come));
  return t.do((count) => {
    if (count === undefined) return [];
    const changed = t.map(gone, come, (before: Term, after: Term) => change(before, after, types));
    return t.add(
      changed,
      t.map(t.skip(gone, count), (row) => going(t, row, types)),
      t.map(t.skip(come, count), (row) => coming(t, row, types)),
    );
  }, both);
}
