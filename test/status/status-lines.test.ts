import { expect, test } from 'vitest';
import { statusLines } from '../../src/status/status-lines.ts';
import { displayWidth } from '../../src/terminal/display-width.ts';
import { painted } from '../../src/terminal/palette.ts';
import { clientStatus, feedStatus, statusOf } from '../support/queries/status.ts';

const status = statusOf({
  at: '2026-11-01T01:05:00.000Z',
  totals: { ...statusOf().totals, clients: 2, feeds: 2, subscribers: 5, stateRows: 1200, stateBytes: 64_000 },
  upstreams: [
    {
      address: 'db:28015',
      isUp: true,
      version: '2.4.4',
      problem: null,
      failures: 0,
      since: null,
      clients: 2,
    },
    {
      address: 'db2:28015',
      isUp: false,
      version: null,
      problem: 'connect ECONNREFUSED',
      failures: 3,
      since: '2026-11-01T01:04:30.000Z',
      clients: 0,
    },
  ],
  feeds: [
    feedStatus({
      id: '1-2',
      stateRows: 1200,
      stateBytes: 64_000,
      plan: 'proxy',
      subscribers: 4,
      documents: 123_456,
      workSeconds: 0.00034,
      load: 0.25,
      ageSeconds: 61,
    }),
    feedStatus({
      id: '1-1',
      documents: null,
      plan: 'native',
      privateBecause: 'it depends on the moment',
      user: 'bo\x1b[2Jb',
    }),
  ],
  clients: [clientStatus({ id: '1-1', feeds: 2, bytesWritten: 2_500_000 })],
});

function linesAt(columns: number): string[] {
  return statusLines(status, columns).map((line) => painted(line, false).trimEnd());
}

test('a status is its sums, and a table of each of its lists', () => {
  expect(linesAt(Number.POSITIVE_INFINITY)).toEqual([
    'livefold 1.2.3  ready  for 1 h 5 min  ·  2 clients  ·  2 feeds for 5 live queries  ·  state 64.0 kB in 1,200 rows',
    '',
    'UPSTREAM   STATE   FOR  CLIENTS  VERSION  PROBLEM',
    'db:28015   up                 2  2.4.4',
    'db2:28015  down   30 s        0           connect ECONNREFUSED',
    '',
    'FEED    STATE   ROWS  FOLLOWERS  DOCUMENTS  BEHIND    WORK     CPU    AGE  PLAN    USER          QUERY                            PRIVATE',
    "1-2   64.0 kB  1,200          4     123.5K     0 s  340 µs  25.0 %  1 min  proxy   admin         r.table('t').sum('x').changes()",
    String.raw`1-1       0 B      0          1          –     0 s    0 µs     0 %    0 s  native  bo\u001b[2Jb  r.table('t').sum('x').changes()  it depends on the moment`,
    '',
    'CLIENT  ADDRESS         USER   PROTOCOL  FEEDS  WAITING  SENT  RECEIVED  AGE  SERVER',
    '1-1     10.0.0.1:50000  admin  V1_0          2      0 B   0 B    2.5 MB  0 s  db:28015',
  ]);
});

test('what is not ready says why', () => {
  const [line = []] = statusLines(statusOf({ readiness: { ready: false, reason: 'no upstream server answers' } }), 200);
  expect(painted(line, false)).toContain('not ready: no upstream server answers');
});

test('tables fit the terminal: what is long stands below its row, in whole', () => {
  for (const columns of [40, 80, 100]) {
    for (const line of linesAt(columns).slice(1)) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  }
  const query = `r.table('orders').filter((row) => row('customer').eq(…)).group('${'city'.repeat(30)}').sum('total').changes()`;
  const long = statusOf({ feeds: [feedStatus({ id: '1-1', query, privateBecause: 'its option `shared` is false' })] });
  const lines = statusLines(long, 100).map((line) => painted(line, false).trimEnd());
  expect(lines.slice(-6)).toEqual([
    'FEED  STATE  ROWS  FOLLOWERS  DOCUMENTS  BEHIND  WORK  CPU  AGE  PLAN    USER',
    '1-1     0 B     0          1          0     0 s  0 µs  0 %  0 s  server  admin',
    expect.stringMatching(/^ {4}r\.table\('orders'\)/),
    expect.stringMatching(/^ {4}(?:city)+/),
    expect.stringMatching(/changes\(\)$/),
    '    private: its option `shared` is false',
  ]);
  expect(
    lines
      .slice(-4, -1)
      .map((line) => line.trim())
      .join('')
      .replaceAll(' ', ''),
  ).toBe(query.replaceAll(' ', ''));
  const [first = ''] = statusLines(statusOf({ feeds: [feedStatus({ id: '1', query: 'x'.repeat(2000) })] }), 60)
    .map((line) => painted(line, false))
    .slice(-1);
  expect(first.trim()).toBe('…');
});
