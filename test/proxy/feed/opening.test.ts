// Opening a feed is bounded, whatever the query is made of: it is read in turns, and what is taken apart at once has steps.

import { expect, test } from 'vitest';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import { MemoryBudget } from '../../../proxy/memory/memory-budget.ts';
import { Tally } from '../../../proxy/observer/tally.ts';
import type { Feed } from '../../../proxy/relay/feed-port.ts';
import { Schedule, SLICE_MS } from '../../../proxy/work/schedule.ts';
import { hostileQueries } from '../../support/queries/hostile-queries.ts';
import { NOBODY, PROXY_PLAN, ScriptedIo } from './scripted-io.ts';

/** An io whose process is busy, until the test gives what waits a turn. */
class WaitingIo extends ScriptedIo {
  #next: (() => void) | undefined;
  #ms = 0;
  #overs: (() => void)[] = [];
  override readonly process = {
    observer: NOBODY,
    tally: new Tally(),
    memory: new MemoryBudget({ observer: NOBODY }),
    work: new Schedule({
      now: () => {
        this.#ms += SLICE_MS;
        return this.#ms;
      },
      defer: (callback) => {
        this.#next = callback;
      },
    }),
  };

  constructor() {
    super();
    this.process.work.open({}).do({ work: () => true });
  }

  override whenOver(callback: () => void): void {
    this.#overs.push(callback);
  }

  override ended(): void {
    super.ended();
    for (const callback of this.#overs) callback();
  }

  /** Gives what waits one turn; says whether nothing waits any more. */
  turn(): boolean {
    const next = this.#next;
    this.#next = undefined;
    next?.();
    return next === undefined;
  }
}

function open(body: string, io: ScriptedIo, plan: 'auto' | 'server' | 'proxy' = 'auto'): Feed | 'native' | undefined {
  return createOpenFeed({ ...PROXY_PLAN, plan })(
    { body: Buffer.from(body), serverVersion: '2.4.4', user: 'admin', protocol: 'V1_0' },
    io,
  );
}

/** Far more than any takes when the machine is busy, far less than it took where it grew with the square. */
const MOST_MS = 3000;

test.each(Object.entries(hostileQueries))('%s: a feed, or refused by name, and soon', (_, query) => {
  for (const plan of ['auto', 'server', 'proxy'] as const) {
    for (const parts of plan === 'auto' ? [10, 500, 8000] : [500]) {
      const io = new ScriptedIo();
      const start = process.cpuUsage();
      open(query(parts), io, plan);
      const { user } = process.cpuUsage(start);
      expect(user / 1000, `${plan}, ${parts}`).toBeLessThan(MOST_MS);
      const error = io.answers.find(({ t }) => t > 15)?.r[0];
      if (parts === 10) expect(error).toBeUndefined();
      if (error !== undefined) expect(error).toMatch(/--max-steps|nested too deeply|more than 7 functions/);
      else expect(io.plan ?? 'left to the server').toMatch(/server|proxy/);
    }
  }
});

test('a refusal names the term that there are too many of', () => {
  const io = new ScriptedIo();
  open(hostileQueries['fields of fields']?.(2000) ?? '', io);
  expect(io.answers).toMatchObject([
    {
      t: 18,
      e: 2000000,
      r: [
        'Rewriting `bracket` takes more than the 500000 steps that Livefold may take to open a feed.  To raise the limit, set `--max-steps` of the proxy.',
      ],
    },
  ]);
});

test('a long query is read in turns, and is a feed in the end', () => {
  const io = new WaitingIo();
  const keys = Array.from({ length: 60_000 }, (_, key) => key).join();
  const feed = open(`[1,[152,[[43,[[78,[[15,["t"]],${keys}]]]]],{"include_initial":true}]]`, io);
  expect(feed).toBeDefined();
  let turns = 1;
  while (!io.turn()) turns++;
  expect(turns).toBeGreaterThan(50);
  expect(io.plan).toBe('server');
  expect(io.upstream).toHaveLength(1);
  io.respond({ t: 3, r: [{ new_val: 5 }, { state: 'ready' }], n: [1] });
  while (!io.turn());
  if (typeof feed === 'object') feed.continue();
  expect(io.answers.flatMap(({ r }) => r)).toContainEqual({ new_val: 5 });
});

test('what is RethinkDB’s own, and had to wait for its turn, goes there as it is', () => {
  for (const body of ['[1,[152,[[15,["t"]]]]]', '[1,[44,[[15,["t"]],[15,["u"]]]]]', '[1,[152,"nonsense"']) {
    const io = new WaitingIo();
    const sent: (string | Buffer)[] = [];
    const query = io.query.bind(io);
    io.query = (start, sink) => {
      sent.push(start);
      return query('[1]', sink);
    };
    open(body, io);
    expect(sent).toEqual([]);
    while (!io.turn());
    expect(sent.map(String)).toEqual([body]);
  }
});

test('a client that stops a query that waits for its turn is answered, and nothing is opened', () => {
  const io = new WaitingIo();
  const feed = open('[1,[152,[[43,[[15,["t"]]]]]]]', io);
  if (feed === undefined || feed === 'native') throw new TypeError('a feed that waits');
  feed.stop();
  expect(io.answers).toHaveLength(2);
  while (!io.turn());
  expect(io.upstream).toEqual([]);
});

test('what RethinkDB alone can evaluate is folded there, or refused by name', () => {
  const pair = '[48,[[15,["t"]],[15,["u"]],[69,[[2,[1,2]],[17,[[170,[[10,[1]],"x"]],[170,[[10,[2]],"y"]]]]]]]]';
  const distances = `[38,[${pair},[69,[[2,[3]],[162,[[170,[[10,[3]],"loc"]],[159,[0,0]]]]]]]]`;
  const joined = new ScriptedIo();
  open(`[1,[152,[[145,[${distances}]]]]]`, joined);
  expect(joined.answers).toMatchObject([
    {
      t: 18,
      r: [expect.stringMatching(/^RethinkDB alone can evaluate `distance`\. Put it into a `map` or a `merge`/)],
    },
  ]);
  const grouped = new ScriptedIo();
  open('[1,[152,[[158,[[170,[[147,[[144,[[15,["t"]],"c"]],"m"]],"loc"]]]]]]]', grouped);
  expect(grouped.plan).toBe('server');
});
