// Feeds of the proxy plan over random histories of rows: at rest they show what the one-shot query gives, every old_val is
// what was shown before, however slowly the client reads.

import fc from 'fast-check';
import { test } from 'vitest';
import type { Datum, DatumObject } from '../../rewrite/reql/datum.ts';
import { type Builder, builder, type Fields } from '../../rewrite/term/build.ts';
import { serializeTerm } from '../../rewrite/term/serialize.ts';
import type { Term } from '../../rewrite/term/term.ts';
import { answer, ElementUpstream } from '../proxy/feed/element-upstream.ts';
import { Kept, type Kind } from '../proxy/feed/kept.ts';
import { Driven } from '../proxy/feed/scripted-io.ts';

interface Watched {
  readonly name: string;
  readonly kind: Kind;
  readonly query: (t: Builder, table: Term, other: Term) => Term;
}

const watched: readonly Watched[] = [
  { name: 'count', kind: 'value', query: (t, rows) => t.count(rows) },
  { name: 'sum', kind: 'value', query: (t, rows) => t.sum(rows, 'x') },
  { name: 'avg', kind: 'value', query: (t, rows) => t.avg(rows, 'x') },
  { name: 'least value', kind: 'value', query: (t, rows) => t.bracket(t.min(rows, 'x'), 'x') },
  { name: 'greatest value', kind: 'value', query: (t, rows) => t.bracket(t.max(rows, 'x'), 'x') },
  { name: 'isEmpty', kind: 'value', query: (t, rows) => t.isEmpty(rows) },
  { name: 'distinct', kind: 'rows', query: (t, rows) => t.distinct(t.bracket(rows, 'x')) },
  { name: 'count of distinct', kind: 'value', query: (t, rows) => t.count(t.distinct(t.bracket(rows, 'x'))) },
  { name: 'count per group', kind: 'groups', query: (t, rows) => t.count(t.group(rows, 'g')) },
  { name: 'sum per group', kind: 'groups', query: (t, rows) => t.sum(t.group(rows, 'g'), 'x') },
  { name: 'multi groups', kind: 'groups', query: (t, rows) => t.count(t.group(rows, 'tags', { multi: true })) },
  {
    name: 'distinct per group',
    kind: 'groups',
    query: (t, rows) => t.count(t.distinct(t.bracket(t.group(rows, 'g'), 'x'))),
  },
  {
    name: 'a value from outside in every group',
    kind: 'groups',
    query: (t, rows, other) => t.add(t.count(t.group(rows, 'g')), t.count(other)),
  },
  { name: 'ungroup', kind: 'rows', query: (t, rows) => t.ungroup(t.count(t.group(rows, 'g'))) },
  {
    name: 'map of ungroup',
    kind: 'rows',
    query: (t, rows) => t.map(t.ungroup(t.count(t.group(rows, 'g'))), (row) => t.bracket(row ?? null, 'reduction')),
  },
  {
    name: 'leaderboard',
    kind: 'rows',
    query: (t, rows) => t.limit(t.orderBy(t.ungroup(t.count(t.group(rows, 'g'))), t.desc('reduction')), 2),
  },
  {
    name: 'two levels',
    kind: 'groups',
    query: (t, rows) =>
      t.count(t.group(t.ungroup(t.count(t.group(rows, 'g', 'x'))), (row) => t.nth(t.bracket(row ?? null, 'group'), 0))),
  },
  { name: 'concatMap', kind: 'rows', query: (t, rows) => t.concatMap(rows, (row) => t.bracket(row ?? null, 'tags')) },
  {
    name: 'count of concatMap',
    kind: 'value',
    query: (t, rows) => t.count(t.concatMap(rows, (row) => t.bracket(row ?? null, 'tags'))),
  },
  { name: 'two tables', kind: 'value', query: (t, rows, other) => t.add(t.count(rows), t.sum(other, 'x')) },
  { name: 'union', kind: 'value', query: (t, rows, other) => t.sum(t.union(rows, other), 'x') },
  { name: 'object', kind: 'value', query: (t, rows) => t.expr({ n: t.count(rows), s: t.sum(rows, 'x') }) },
  { name: 'default', kind: 'value', query: (t, rows) => t.default(t.avg(rows, 'x'), 'none') },
  {
    name: 'branch',
    kind: 'value',
    query: (t, rows) => t.branch(t.gt(t.count(rows), 2), t.bracket(t.max(rows, 'x'), 'x'), t.count(rows)),
  },
];

interface Step {
  readonly table: 't' | 'u';
  readonly id: number;
  readonly row: DatumObject | undefined;
  /** Whether the client asks for more after this step. */
  readonly reads: boolean;
}

const row = fc.record(
  {
    x: fc.constantFrom(0, 1, 2, 5, 0.1, 0.2),
    g: fc.constantFrom('a', 'b', null, 0),
    tags: fc.subarray(['a', 'b', 'c']),
  },
  { requiredKeys: ['tags'] },
);
const step: fc.Arbitrary<Step> = fc.record({
  table: fc.constantFrom('t', 't', 'u'),
  id: fc.nat(4),
  row: fc.option(row, { nil: undefined, freq: 4 }),
  reads: fc.boolean(),
});
const options = fc.record({
  include_initial: fc.boolean(),
  include_states: fc.boolean(),
  squash: fc.boolean(),
  changefeed_queue_size: fc.constantFrom(1, 3, 100_000),
});

type Tables = Readonly<Record<'t' | 'u', ReadonlyMap<number, DatumObject>>>;

function run(name: string, before: readonly Step[], after: readonly Step[], optargs: Fields): void {
  const found = watched.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no query ${name}`);
  const ids = { next: 100 };
  const t = builder(undefined, () => ids.next++);
  const query = found.query(t, t.table('t'), t.table('u'));
  const tables = { t: new Map<number, DatumObject>(), u: new Map<number, DatumObject>() };
  const truth = (): Datum => answer(query, rowsOf(tables));
  const term = serializeTerm(t.changes(query, optargs));
  const upstream = new ElementUpstream(`[1,${term}]`);
  const driven = new Driven(JSON.parse(term));
  for (const { table, id, row: now } of before) set(tables[table], id, now);
  for (const table of ['t', 'u'] as const) {
    for (const now of tables[table].values()) driven.send(...upstream.initial(table, now));
  }
  driven.send({ state: 'ready' });
  const kept = new Kept(found.kind, optargs['include_initial'] === true ? undefined : truth());
  const documents: Datum[] = [];
  for (const { table, id, row: now, reads } of after) {
    driven.send(...upstream.change(table, tables[table].get(id), set(tables[table], id, now)));
    if (reads) documents.push(...driven.documents());
  }
  documents.push(...driven.documents());
  for (const document of documents) kept.take(document);
  kept.check(truth());
}

function set(rows: Map<number, DatumObject>, id: number, now: DatumObject | undefined): DatumObject | undefined {
  if (now === undefined) {
    rows.delete(id);
    return undefined;
  }
  const full = { ...now, id };
  rows.set(id, full);
  return full;
}

function rowsOf(tables: Tables): Readonly<Record<string, readonly Datum[]>> {
  return { t: [...tables.t.values()], u: [...tables.u.values()] };
}

test.each(watched.map(({ name }) => name))(
  '%s: a client that keeps the documents knows the one-shot answer',
  (name) => {
    const history = fc.array(step, { maxLength: 8 });
    fc.assert(
      fc.property(history, history, options, (before, after, optargs) => run(name, before, after, optargs)),
      { numRuns: 60 },
    );
  },
);
