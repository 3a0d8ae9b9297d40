import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';

type TestOptions = NonNullable<ViteUserConfig['test']>;
type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** Two files at a time, whatever the machine: each is a process, and many begin servers and programs beside it. */
const MAX_WORKERS = 2;

/** Files that keep nothing behind them, and measure neither memory nor time of their process: they share processes, and imports. */
const TOGETHER: readonly string[] = [
  'test/{golden,rewrite}/**/*.test.ts',
  'test/proxy/{feed,wire,work}/**/*.test.ts',
  'test/{rooms,signatures,aggregates,generated}.test.ts',
  'test/laws/{aggregates,term,wire,merge,history,feed,named-aggregates,examples}.law.test.ts',
];

/**
 * What `npm run test:fast` leaves out: what a real RethinkDB does, all set-ups of the cases but the plan `auto` over the embedded
 * server, the program, the drivers, long laws, and files that take seconds by themselves.
 */
const FAST: TestOptions = {
  include: [
    'test/*.test.ts',
    'test/{golden,rewrite}/**/*.test.ts',
    'test/proxy/{feed,memory,wire}/**/*.test.ts',
    'test/cases/cases.test.ts',
    'test/laws/wire.law.test.ts',
  ],
  exclude: [
    'test/{readme,examples}.test.ts',
    'test/proxy/feed/{opening,view,reducer-feed,reverse-pairs}.test.ts',
    'test/rewrite/aggregates/{exact-sum-fold,reduction}.test.ts',
    'test/rewrite/reql/eval/{evaluate,meter}.test.ts',
  ],
  testNamePattern: /^(?!embedded |proxy without rewriting |proxy \((?:server|proxy) plan\))/,
  provide: { rethinkdb: null },
  isolate: false,
};

const EACH: ProjectOptions = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
  pool: 'forks',
};

const ALL: TestOptions = {
  globalSetup: ['./test/support/global-setup.ts'],
  projects: [
    { test: { ...EACH, name: 'together', include: [...TOGETHER], isolate: false, sequence: { groupOrder: 0 } } },
    {
      test: {
        ...EACH,
        name: 'apart',
        include: ['test/**/*.test.ts'],
        exclude: [...TOGETHER],
        sequence: { groupOrder: 1 },
      },
    },
  ],
};

export default defineConfig(({ mode }) => ({
  test: {
    ...EACH,
    maxWorkers: MAX_WORKERS,
    reporters: ['default', './test/support/checks/tally-reporter.ts'],
    ...(mode === 'fast' ? FAST : ALL),
  },
}));
