// The recipe of examples/follow.js with each driver: what is shown outlives the connection, what differs is told once, and however
// often a driver says that a connection has ended, there is one.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { View } from '../../examples/follow.js';
import { type RunningProxy, startProxy } from '../../proxy/listener.ts';
import { silent } from '../../proxy/log.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { Dashboard, type Difference, FIGURES } from '../support/checks/dashboard.ts';
import { eventually } from '../support/checks/eventually.ts';
import { type Connection, drivers, official } from '../support/servers/drivers.ts';
import { rewriting } from '../support/servers/servers.ts';

const DB = 'test';

const BEGIN = { state: 'initializing' };
const READY = { state: 'ready' };
const readBefore = (...documents: readonly object[]): readonly object[] => [BEGIN, ...documents, READY];

interface ViewCase {
  readonly name: string;
  readonly keyOf?: (row: { readonly id?: unknown } | null) => unknown;
  /** What is there before, and what comes then. */
  readonly before: readonly object[];
  readonly after: readonly object[];
  /** Group or key, what is shown now, and what was. */
  readonly told: readonly (readonly [unknown, unknown, unknown])[];
}

const idOf: NonNullable<ViewCase['keyOf']> = (row) => row?.id;
const itself: NonNullable<ViewCase['keyOf']> = (row) => row;

const viewCases: readonly ViewCase[] = [
  {
    name: 'a value that is the same is told of no more',
    before: [{ type: 'initial', new_val: 5 }],
    after: readBefore({ type: 'initial', new_val: 5 }),
    told: [],
  },
  {
    name: 'a value that goes to null and comes back is null meanwhile',
    before: [{ type: 'initial', new_val: 5 }],
    after: [
      { type: 'remove', old_val: 5, new_val: null },
      { type: 'add', old_val: null, new_val: 7 },
    ],
    told: [
      [undefined, null, 5],
      [undefined, 7, null],
    ],
  },
  {
    name: 'a group that becomes null stays, and one that goes does not',
    before: [
      { type: 'initial', group: 'a', new_val: 1 },
      { type: 'initial', group: 'b', new_val: 2 },
    ],
    after: [
      { type: 'change', group: 'a', old_val: 1, new_val: null },
      { type: 'remove', group: 'b', old_val: 2, new_val: null },
    ],
    told: [
      ['a', null, 1],
      ['b', undefined, 2],
    ],
  },
  {
    name: 'groups that went, came and changed while nobody read are told at ready, and not before',
    before: [
      { type: 'initial', group: 'goes', new_val: 1 },
      { type: 'initial', group: null, new_val: { n: [1] } },
      { type: 'initial', group: 'stays', new_val: { n: [1] } },
    ],
    after: readBefore(
      { type: 'initial', group: 'comes', new_val: null },
      { type: 'initial', group: null, new_val: { n: [2] } },
      { type: 'initial', group: 'stays', new_val: { n: [1] } },
    ),
    told: [
      ['goes', undefined, 1],
      ['comes', null, undefined],
      [null, { n: [2] }, { n: [1] }],
    ],
  },
  {
    name: 'a reading that is broken off shows nothing',
    before: [{ type: 'initial', group: 'a', new_val: 1 }],
    after: [
      BEGIN,
      { type: 'initial', group: 'b', new_val: 2 },
      BEGIN,
      { type: 'initial', group: 'a', new_val: 1 },
      READY,
    ],
    told: [],
  },
  {
    name: 'a row that gets another key goes and comes',
    keyOf: idOf,
    before: [{ type: 'initial', new_val: { id: 1, n: 1 } }],
    after: [
      { type: 'change', old_val: { id: 1, n: 1 }, new_val: { id: 2, n: 1 } },
      { type: 'change', old_val: { id: 2, n: 1 }, new_val: { id: 2, n: 3 } },
    ],
    told: [
      [1, undefined, { id: 1, n: 1 }],
      [2, { id: 2, n: 1 }, undefined],
      [2, { id: 2, n: 3 }, { id: 2, n: 1 }],
    ],
  },
  {
    name: 'a row can be null',
    keyOf: itself,
    before: [{ type: 'initial', new_val: null }],
    after: [
      { type: 'remove', old_val: null },
      { type: 'add', new_val: null },
    ],
    told: [
      [null, undefined, null],
      [null, null, undefined],
    ],
  },
  {
    name: 'a row that leaves while it is read is not shown, and signs of life are not either',
    keyOf: idOf,
    before: [],
    after: [
      BEGIN,
      { type: 'initial', new_val: { id: 1 } },
      { type: 'uninitial', old_val: { id: 1 } },
      { type: 'initial', new_val: { id: 2 } },
      READY,
      { state: 'alive' },
      { state: 'healing' },
    ],
    told: [[2, { id: 2 }, undefined]],
  },
];

test.each(viewCases)('$name', ({ keyOf, before, after, told }) => {
  const heard: (readonly [unknown, unknown, unknown])[] = [];
  const view = new View((...difference) => heard.push(difference), keyOf);
  for (const document of readBefore(...before)) view.take(document);
  heard.splice(0);
  for (const document of after) view.take(document);
  expect(heard).toEqual(told);
});

describe.each(drivers.map((driver) => ({ name: driver.name, driver })))('$name', ({ driver }) => {
  let database: EmbeddedServer;
  let proxy: RunningProxy;
  let writes: Connection;
  let dashboard: Dashboard;

  const start = (port: number): Promise<RunningProxy> =>
    startProxy({
      ...{
        listen: { host: '127.0.0.1', port },
        upstreams: [database.address],
        openFeed: rewriting('auto'),
        log: silent,
      },
      watchUpstreams: false,
    });

  /** Waits until all figures are right. */
  const right = async (): Promise<void> => {
    let wrong: readonly string[] = FIGURES.map(({ name }) => name);
    const deadline = performance.now() + 20_000;
    while (wrong.length > 0) {
      if (performance.now() > deadline) throw new Error(`still wrong: ${wrong}`);
      wrong = await dashboard.wrong(writes);
    }
  };

  const told = (figure: string): readonly Difference[] =>
    dashboard.differences
      .splice(0)
      .filter((difference) => difference.figure === figure)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));

  beforeAll(async () => {
    database = await createEmbeddedServer();
    writes = await official.connect(database.address, { db: DB });
    await writes.run((r) => r.tableCreate('t'));
    const rows = [1, 2, 3, 4, 5, 6].map((id) => ({ id, n: id % 4, k: id % 2 === 0 ? 'a' : 'b' }));
    await writes.run((r) => r.table('t').insert(rows));
    proxy = await start(0);
    dashboard = new Dashboard(driver, proxy.address, DB);
    await right();
  });
  afterAll(async () => {
    await dashboard.close();
    await proxy.destroy();
    await writes.close();
    await database.close();
  });

  test('what was written while the proxy was away is told as the net difference, over one connection', async () => {
    expect(dashboard.connections).toHaveLength(1);
    expect(proxy.clientCount).toBe(1);
    dashboard.differences.splice(0);
    await proxy.destroy();
    await writes.run((r) => r.table('t').get(1).delete());
    await writes.run((r) => r.table('t').get(2).update({ n: 9 }));
    await writes.run((r) => r.table('t').get(2).update({ n: 8 }));
    await writes.run((r) => r.table('t').insert({ id: 7, n: 1, k: 'c' }));
    proxy = await start(proxy.address.port);
    await right();
    expect(told('sum of groups')).toEqual([
      { figure: 'sum of groups', key: '"a"', now: 10, before: 4 },
      { figure: 'sum of groups', key: '"b"', now: 4, before: 5 },
      { figure: 'sum of groups', key: '"c"', now: 1, before: undefined },
    ]);
    expect(proxy.clientCount).toBe(1);
    expect(dashboard.connections).toHaveLength(2);
  });

  test('an end that is told twice makes one connection', async () => {
    const made = dashboard.connections.length;
    const [connection] = dashboard.connections.slice(-1);
    for (const event of ['end', 'close', 'close', 'closed']) connection?.emit(event);
    await connection?.close({ noreplyWait: false });
    for (const event of ['close', 'close']) connection?.emit(event);
    await writes.run((r) => r.table('t').insert({ id: 8, n: 5, k: 'b' }));
    await right();
    expect(dashboard.connections).toHaveLength(made + 1);
    await eventually('the one before is gone', () => proxy.clientCount === 1);
  });

  test('a stop of the proxy is followed by another try, and so is a feed that ends alone; a wrong query is not', async () => {
    const stopping = proxy.drain();
    await stopping;
    proxy = await start(proxy.address.port);
    await writes.run((r) => r.table('t').get(8).delete());
    await right();
    expect(dashboard.troubles.every(({ isTriedAgain }) => isTriedAgain)).toBe(true);
    const wrong = new Dashboard(driver, proxy.address, DB, [
      {
        name: 'refused',
        query: (r) =>
          r
            .table('t')
            .filter((row) => row('n').add('a'))
            .sum('n'),
      },
      { name: 'sum', query: (r) => r.table('t').sum('n') },
    ]);
    await eventually('it is told', () => wrong.troubles.length > 0 && wrong.differences.length > 0);
    expect(wrong.troubles.map(({ isTriedAgain }) => isTriedAgain)).toEqual([false]);
    expect(wrong.connections).toHaveLength(1);
    await wrong.close();
  });
});
