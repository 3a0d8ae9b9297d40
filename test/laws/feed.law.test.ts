// Feeds of the proxy plan over random histories of rows: at rest they show what the one-shot query gives, every old_val is
// what was shown before, however slowly the client reads.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Builder, builder, type Fields } from '../../rewrite/reql/build/build.ts';
import type { Datum, DatumObject } from '../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../rewrite/reql/data/datum-key.ts';
import { serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import { answer, type ElementUpstream, proxyUpstream, serverUpstream } from '../proxy/feed/element-upstream.ts';
import { Kept, type Kind } from '../proxy/feed/kept.ts';
import { Driven } from '../proxy/feed/scripted-io.ts';

interface Watched {
  readonly name: string;
  /** It reads several tables: RethinkDB is never left to fold it. */
  readonly inProxy?: true;
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
    inProxy: true,
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
  {
    name: 'two tables',
    kind: 'value',
    inProxy: true,
    query: (t, rows, other) => t.add(t.count(rows), t.sum(other, 'x')),
  },
  { name: 'union', kind: 'value', inProxy: true, query: (t, rows, other) => t.sum(t.union(rows, other), 'x') },
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

const history = (numbers: readonly number[]): fc.Arbitrary<Step[]> => {
  const row = fc.record(
    {
      x: fc.constantFrom(...numbers),
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
  return fc.array(step, { maxLength: 8 });
};
const decimals = history([0, 1, 2, 5, 0.1, 0.2]);
// The server plan adds up the doubles of a group in some order, the proxy plan exactly.
const exact = history([0, 1, 2, 5, 0.25, 0.5]);
const options = fc.record({
  include_initial: fc.boolean(),
  include_states: fc.boolean(),
  squash: fc.boolean(),
  changefeed_queue_size: fc.constantFrom(1, 3, 100_000),
});

type Tables = Readonly<Record<'t' | 'u', ReadonlyMap<number, DatumObject>>>;

interface Stage {
  readonly kind: Kind;
  readonly query: Term;
  readonly term: string;
  readonly tables: Record<'t' | 'u', Map<number, DatumObject>>;
  readonly upstream: ElementUpstream;
}

/** A watched query over tables that hold what the steps before have left. */
function stage({ kind, query }: Watched, before: readonly Step[], optargs: Fields): Stage {
  const ids = { next: 100 };
  const t = builder(undefined, () => ids.next++);
  const tables = { t: new Map<number, DatumObject>(), u: new Map<number, DatumObject>() };
  for (const { table, id, row: now } of before) set(tables[table], id, now);
  const watchedTerm = query(t, t.table('t'), t.table('u'));
  const term = serializeTerm(t.changes(watchedTerm, optargs));
  return { kind, query: watchedTerm, term, tables, upstream: proxyUpstream(`[1,${term}]`) };
}

/** What upstream sends when the feed opens. */
function opening({ tables, upstream }: Pick<Stage, 'tables' | 'upstream'>): Datum[] {
  const initial = (['t', 'u'] as const).flatMap((table) =>
    [...tables[table].values()].flatMap((now) => upstream.initial(table, now)),
  );
  return [{ state: 'initializing' }, ...initial, { state: 'ready' }];
}

/** What upstream sends for a write. */
function write({ tables, upstream }: Stage, { table, id, row: now }: Step): Datum[] {
  return upstream.change(table, tables[table].get(id), set(tables[table], id, now));
}

function keepsUp(one: Watched, before: readonly Step[], after: readonly Step[], optargs: Fields): void {
  const on = stage(one, before, optargs);
  const truth = (): Datum => answer(on.query, rowsOf(on.tables));
  const driven = new Driven(JSON.parse(on.term)).send(...opening(on)).quiet();
  const kept = new Kept(on.kind, optargs['include_initial'] === true ? undefined : truth());
  const documents: Datum[] = [];
  for (const step of after) {
    driven.send(...write(on, step));
    if (step.reads) documents.push(...driven.documents());
  }
  documents.push(...driven.documents());
  for (const document of documents) kept.take(document);
  kept.check(truth());
}

function plansAgree(one: Watched, before: readonly Step[], after: readonly Step[], optargs: Fields): void {
  const on = stage(one, before, optargs);
  const proxy = new Driven(JSON.parse(on.term));
  const server = new Driven(JSON.parse(on.term), { settings: { plan: 'server' } });
  const { upstream, fold } = serverUpstream(`[1,${on.term}]`, optargs);
  const log: Datum[] = [];
  const folded = { count: 0 };
  const compare = (documents: readonly Datum[], toFold: readonly Datum[]): void => {
    log.push(...toFold);
    const all = fold(log);
    const shownByServer = server.send(...all.slice(folded.count)).documents();
    folded.count = all.length;
    const shownByProxy = proxy.send(...documents).documents();
    expect(sortedKeys(shownByProxy)).toEqual(sortedKeys(shownByServer));
  };
  compare(opening(on), opening({ tables: on.tables, upstream }));
  for (const step of after) {
    const old = on.tables[step.table].get(step.id);
    const documents = write(on, step);
    const toFold = upstream.change(step.table, old, on.tables[step.table].get(step.id));
    // A row without an element may be no change at all to one of them.
    for (let index = 0; index < Math.max(documents.length, toFold.length); index++) {
      compare(documents.slice(index, index + 1), toFold.slice(index, index + 1));
    }
  }
}

/** Documents of one moment have no order. */
function sortedKeys(documents: readonly Datum[]): readonly string[] {
  return documents.map((datum) => datumKey(datum)).sort();
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

for (const one of watched) {
  test(`${one.name}: a client that keeps the documents knows the one-shot answer`, () => {
    const law = fc.property(decimals, decimals, options, (...given) => keepsUp(one, ...given));
    fc.assert(law, { numRuns: 60 });
  });

  if (one.inProxy === true) continue;
  test(`${one.name}: both plans show the same documents`, () => {
    const inOrder = options.map((optargs) => ({ ...optargs, squash: false, changefeed_queue_size: 100_000 }));
    const law = fc.property(exact, exact, inOrder, (...given) => plansAgree(one, ...given));
    fc.assert(law, { numRuns: 30 });
  });
}
