// How well the estimate of what feeds keep (proxy/feed/operator/gauge.ts) holds: fills feeds of each kind in this process and
// sets what they say that they keep beside what the heap has grown by.
//
//   npx tsx --expose-gc scripts/measure-state.ts [rows]

import { createOpenFeed } from '../proxy/feed/opening/open-feed.ts';
import { MemoryBudget } from '../proxy/memory/memory-budget.ts';
import type { Observer } from '../proxy/observer/observer.ts';
import { Observers } from '../proxy/observer/observers.ts';
import { Tally } from '../proxy/observer/tally.ts';
import type { Feed, FeedIo, UpstreamSink } from '../proxy/relay/feed-port.ts';
import { QueryText } from '../proxy/relay/query-text.ts';
import { Schedule } from '../proxy/work/schedule.ts';
import { queryOfText } from '../src/command/query-of-text.ts';

interface Kind {
  readonly name: string;
  readonly query: string;
  /** The element that RethinkDB sends for a row, as the query's element feed has it. */
  readonly element: (row: number) => unknown;
}

const NOBODY: Observer = new Observers([]);
const BATCH = 1000;
/** A clock that stands still: all work is done when it comes. */
const AT_ONCE = { now: () => 0, defer: (callback: () => void) => callback() };
const rows = Number(process.argv[2] ?? 200_000);
const name = (row: number): string => `customer number ${row}`;
const long = (row: number): string => `${row} ${'lorem ipsum '.repeat(40)}`;
const whole = (row: number): object => ({ id: row, name: name(row), at: row * 1.5, tags: ['a', 'b'] });

const KINDS: readonly Kind[] = [
  { name: 'distinct, integers', query: 't("n").distinct()', element: (row) => [row] },
  { name: 'distinct, doubles', query: 't("n").distinct()', element: (row) => [row + 0.5] },
  { name: 'distinct, strings of 22', query: 't("n").distinct()', element: (row) => [name(row)] },
  { name: 'distinct, strings of 490', query: 't("n").distinct()', element: (row) => [long(row)] },
  { name: 'distinct, wide strings of 22', query: 't("n").distinct()', element: (row) => [`клиент number ${row}`] },
  { name: 'distinct, rows', query: 't.distinct()', element: (row) => [whole(row)] },
  { name: 'count in groups of one', query: 't.group("n").count()', element: (row) => [[name(row), 1]] },
  { name: 'sum in groups of ten', query: 't.group("n").sum("m")', element: (row) => [[row % (rows / 10), row]] },
  {
    name: 'max in groups of ten',
    query: 't.group("n").max("m")',
    element: (row) => [[row % (rows / 10), [row, { id: row }]]],
  },
  {
    name: 'list in groups of ten',
    query: 't.group("n").coerceTo("array")',
    element: (row) => [[row % (rows / 10), { id: row }]],
  },
  { name: 'max, rows', query: 't.max("n")', element: (row) => [[row, whole(row)]] },
  { name: 'max, rows of equal keys', query: 't.max("n")', element: (row) => [[row % 10, whole(row)]] },
  { name: 'min, integers', query: 't("n").min()', element: (row) => [[row]] },
  { name: 'list of integers', query: 't("n").coerceTo("array").count()', element: (row) => [row] },
  { name: 'list of rows', query: 't.coerceTo("array").count()', element: (row) => [whole(row)] },
  { name: 'product', query: 't("n").reduce((a, b) => a.mul(b))', element: (row) => [row % 3 === 0 ? 1 : -1] },
  { name: 'product of doubles', query: 't("n").reduce((a, b) => a.mul(b))', element: (row) => [1 + row / 1e9] },
  {
    name: 'joined rows',
    query: 't.reduce((a, b) => r.branch(a("id").gt(b("id")), a, b))',
    element: (row) => [whole(row)],
  },
  {
    name: 'sum by a reverse',
    query: 't("n").reduce((a, b) => a.add(b).mod(1000), (a, b) => a.sub(b).mod(1000))',
    element: (row) => [row % 1000],
  },
  {
    name: 'top 10 of groups',
    query: 't.group("n").count().ungroup().orderBy("reduction").limit(10)',
    element: (row) => [[row, 1]],
  },
  { name: 'outputs', query: 't.group("n")("m")', element: (row) => [[row % (rows / 10), row]] },
];

const gc = globalThis.gc;
if (gc === undefined) throw new Error('run it with --expose-gc');

function heap(): number {
  gc?.();
  gc?.();
  return process.memoryUsage().heapUsed;
}

/** A feed without its client. */
function opened(
  { query, name: kind }: Kind,
  budget: MemoryBudget,
): { readonly feed: Feed; readonly upstream: UpstreamSink } {
  let upstream: UpstreamSink | undefined;
  const io: FeedIo = {
    toClient(response) {
      if (response.toString().startsWith('{"t":18')) throw new Error(`${kind}: ${response}`);
    },
    query: () => ({ more() {}, stop() {}, drop() {} }),
    text: new QueryText(Buffer.alloc(0), false),
    refuseDuplicate() {},
    sameTextAs() {},
    open() {},
    admit: () => undefined,
    ask() {
      throw new Error(`${kind}: asks`);
    },
    ended() {},
    whenOver() {},
    shared: {
      query(_start, sink) {
        upstream = sink;
        return { more() {}, stop() {}, drop() {} };
      },
      ask() {},
      schedule: () => () => {},
    },
    schedule: () => () => {},
    run: (work) => work(),
    mistake(error) {
      throw error;
    },
    warn() {},
    process: { memory: budget, work: new Schedule(AT_ONCE), observer: NOBODY, tally: new Tally() },
    memory: budget.open({ name: 'feed', shrink() {}, end() {} }),
    isUnread: false,
    parsed() {},
    follows() {},
    wrote() {},
    healed() {},
    opened() {},
  };
  const options = kind === 'outputs' ? '{reducer: (g, values) => values}' : '';
  const body = Buffer.from(queryOfText(`((t) => ${query}.changes(${options}))(r.table('t'))`));
  const open = createOpenFeed({ plan: 'proxy', limits: { maxStateRows: 1e9, maxStateBytes: 1e12 }, now: Date.now });
  const feed = open({ body, serverVersion: '2.4.4', user: 'admin', protocol: 'V1_0' }, io);
  if (feed === undefined || feed === 'native') throw new Error(`${kind} is not live`);
  if (upstream === undefined) throw new Error(`${kind} asks nothing of upstream`);
  return { feed, upstream };
}

const send = (upstream: UpstreamSink, documents: readonly unknown[]): void =>
  upstream.response(Buffer.from(JSON.stringify({ t: 3, r: documents, n: [1] })));

console.log('kind                             bytes a row   estimated   ratio');
for (const kind of KINDS) {
  const budget = new MemoryBudget({ maxMemory: 1e12, observer: NOBODY });
  const { feed, upstream } = opened(kind, budget);
  const before = heap();
  for (let row = 0; row < rows; row += BATCH) {
    send(
      upstream,
      Array.from({ length: BATCH }, (_, index) => ({ new_val: kind.element(row + index) })),
    );
  }
  send(upstream, [{ state: 'ready' }]);
  const taken = (heap() - before) / rows;
  const estimated = budget.reading.heap / rows;
  console.log(
    `${kind.name.padEnd(34)}${taken.toFixed(0).padStart(8)}${estimated.toFixed(0).padStart(14)}${(estimated / taken).toFixed(2).padStart(8)}`,
  );
  feed.close();
}
