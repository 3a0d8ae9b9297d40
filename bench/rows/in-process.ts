// Rows of work without sockets, each sample in a process of its own, so that none of them warms or spoils another's code.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { MicroName } from '../micro/index.ts';
import type { Lane, Metric, Row } from '../row.ts';

const PROCESS = fileURLToPath(new URL('../micro/process.ts', import.meta.url));
const FLAGS = ['--expose-gc', '--max-old-space-size=12000', '--import', 'tsx'];
const run = promisify(execFile);

/** A lane of one measurement, in a process of its own. `file`: what prints its numbers. */
export function micro(name: string, measurement: MicroName, size: number, file = PROCESS): Lane {
  return {
    name,
    async sample() {
      const { stdout } = await run(process.execPath, [...FLAGS, file, measurement, String(size)]);
      const numbers: unknown = JSON.parse(stdout);
      if (!Array.isArray(numbers)) throw new Error(`no numbers: ${stdout}`);
      return numbers.map(Number);
    },
  };
}

interface Limits {
  readonly of: string;
  readonly to?: string;
  readonly metric?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

function row(
  name: string,
  title: string,
  metrics: readonly Metric[],
  lanes: (quick: boolean) => readonly Lane[],
  limits: readonly Limits[],
  { rounds = 5, ...more }: { readonly rounds?: number; readonly slow?: true } = {},
): Row {
  return {
    name,
    title,
    metrics,
    ...more,
    async prepare({ quick }) {
      return {
        lanes: lanes(quick),
        rounds: quick ? 1 : rounds,
        claims: limits.map((limit) => ({ metric: 0, ...limit })),
      };
    },
  };
}

/** What the issue allows for a query's rewriting, in microseconds. */
const REWRITING_AT_MOST = 100;

const REWRITTEN: readonly MicroName[] = ['rewrite-count', 'rewrite-sum', 'rewrite-avg', 'rewrite-group'];

const OPERATORS: readonly MicroName[] = [
  'operator-count',
  'operator-sum',
  'operator-min',
  'operator-max',
  'operator-distinct',
  'operator-grouped-count',
];

/** What a change may cost: of a right row something for each of the ten left rows that it touches. */
const JOINS = {
  'eqJoin, left row': { micro: 'join-left', atMost: 15 },
  'eqJoin, right row': { micro: 'join-right', atMost: 45 },
  'look-up, left row': { micro: 'look-up-left', atMost: 15 },
  'look-up, right row': { micro: 'look-up-right', atMost: 45 },
} as const satisfies Readonly<Record<string, { readonly micro: MicroName; readonly atMost: number }>>;

/** What is said to cost O(log n) a change, and a list, which costs as much as it is long. */
const BY_SIZE = {
  sum: 'operator-sum',
  max: 'operator-max',
  distinct: 'operator-distinct',
  'top 10': 'operator-top',
  'a page in the middle': 'operator-page',
  'a list': 'operator-list',
} as const satisfies Readonly<Record<string, MicroName>>;

const LARGEST = 100_000;

/** Groups of which net changes are taken. */
const MANY = 400_000;
const FEW = 50_000;

function lanesBySize(sizes: readonly number[]): readonly Lane[] {
  return Object.entries(BY_SIZE).flatMap(([name, measurement]) =>
    sizes.map((size) => micro(`${name}, ${size}`, measurement, size)),
  );
}

/** Rows without sockets. */
export const inProcessRows: readonly Row[] = [
  row(
    'rewriting',
    'parse, recognize, rewrite and serialize a query',
    [{ name: 'time', unit: 'microseconds' }],
    () => REWRITTEN.map((name) => micro(name, name, 20_000)),
    REWRITTEN.map((of) => ({ of, atMost: REWRITING_AT_MOST })),
  ),
  row(
    'evaluator',
    "calls of `(a, b) => a('n').add(b('n'))`",
    [{ name: 'calls', unit: 'per second' }],
    () => [micro('evaluator', 'evaluator', 3_000_000)],
    [{ of: 'evaluator', atLeast: 1_000_000 }],
  ),
  row(
    'operators',
    'proxy plan: CPU of a change with 1,000,000 elements kept (grouped: in 100,000 groups)',
    [{ name: 'CPU', unit: 'microseconds a change' }],
    (quick) => OPERATORS.map((name) => micro(name, name, quick ? 100_000 : 1_000_000)),
    OPERATORS.map((of) => ({ of, atMost: 10 })),
  ),
  row(
    'operators-by-size',
    'proxy plan: CPU of a change by how many elements are kept',
    [{ name: 'CPU', unit: 'microseconds a change' }],
    (quick) => lanesBySize(quick ? [1000, LARGEST] : [1000, 10_000, LARGEST]),
    Object.keys(BY_SIZE)
      .filter((name) => name !== 'a list')
      .map((name) => ({ of: `${name}, ${LARGEST}`, atMost: 60 })),
    { rounds: 3 },
  ),
  row(
    'top-rows',
    'proxy plan: the first 10 of an order of 1,000,000 rows, `t.orderBy(field).limit(10)`',
    [
      { name: 'CPU', unit: 'microseconds a change' },
      { name: 'memory', unit: 'bytes a row' },
    ],
    (quick) => [micro('top 10', 'operator-top-rows', quick ? 100_000 : 1_000_000)],
    [
      { of: 'top 10', atMost: 10 },
      { of: 'top 10', metric: 1, atMost: 100 },
    ],
    { rounds: 3 },
  ),
  row(
    'operators-10m',
    'the same with 10,000,000 elements',
    [{ name: 'CPU', unit: 'microseconds a change' }],
    () => OPERATORS.map((name) => micro(name, name, 10_000_000)),
    OPERATORS.map((of) => ({ of, atMost: 20 })),
    { rounds: 1, slow: true },
  ),
  row(
    'joins',
    'proxy plan: CPU of a change of a row with 1,000,000 left and 100,000 right rows kept, ten left rows for each right one',
    [{ name: 'CPU', unit: 'microseconds a change' }],
    (quick) => Object.entries(JOINS).map(([name, join]) => micro(name, join.micro, quick ? 100_000 : 1_000_000)),
    Object.entries(JOINS).map(([of, { atMost }]) => ({ of, atMost })),
    { rounds: 3 },
  ),
  row(
    'merge-between',
    'merges of rows of 1 KB of which one field has changed',
    [
      { name: 'mergeBetween', unit: 'microseconds of CPU' },
      { name: 'composeMerges', unit: 'microseconds of CPU' },
    ],
    () => [micro('merges', 'merges', 1_000_000)],
    [
      { of: 'merges', atMost: 5 },
      { of: 'merges', metric: 1, atMost: 2 },
    ],
  ),
  row(
    'multiset',
    'a multiset of 1,000,000 numbers',
    [{ name: 'memory', unit: 'bytes a number' }],
    () => [micro('multiset', 'multiset', 1_000_000)],
    [{ of: 'multiset', atMost: 100 }],
  ),
  row(
    'net-changes',
    'the net changes of groups that one who asks seldom gets: as many as there are, each costs the same',
    [{ name: 'CPU', unit: 'microseconds a net change' }],
    () => [MANY, FEW].map((size) => micro(`${size} groups`, 'net-changes', size)),
    [{ of: `${MANY} groups`, to: `${FEW} groups`, atMost: 2 }],
  ),
  row(
    'tree',
    'a tree of partial reductions over 1,000,000 numbers, `(a, b) => r.branch(a.gt(b), a, b)`',
    [
      { name: 'change', unit: 'microseconds of CPU' },
      { name: 'build', unit: 'seconds a million' },
    ],
    (quick) => [micro('tree', 'tree', quick ? 100_000 : 1_000_000)],
    [
      { of: 'tree', atMost: 60 },
      { of: 'tree', metric: 1, atMost: 2 },
    ],
  ),
];
