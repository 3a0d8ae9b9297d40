import { defineConfig, type ViteUserConfig } from 'vitest/config';

/**
 * What `npm run test:fast` leaves out: what a real RethinkDB does, all set-ups of the cases but the plan `auto` over the embedded
 * server, the program, the drivers, long laws, and files that take seconds by themselves.
 */
const FAST: NonNullable<ViteUserConfig['test']> = {
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
};

const ALL: NonNullable<ViteUserConfig['test']> = {
  include: ['test/**/*.test.ts'],
  globalSetup: ['./test/support/global-setup.ts'],
};

export default defineConfig(({ mode }) => ({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    reporters: ['default', './test/support/checks/tally-reporter.ts'],
    ...(mode === 'fast' ? FAST : ALL),
  },
}));
