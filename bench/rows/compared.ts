// Rows that compare this build with another one, `--against FOLDER`: the same work in both, in turn, so that what else goes on on the
// machine disturbs both alike. The other folder has the bench and the packages of its own time.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MicroName, micros } from '../micro/index.ts';
import type { Row } from '../row.ts';
import { micro } from './in-process.ts';
import { comparedReads } from './point-reads.ts';
import { watched } from './watched.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const THIS = 'this build';
const OTHER = 'the other build';
/** What the issue of a change may cost by default, as a ratio. */
const AT_MOST = 1.05;
const LARGE = 1_000_000;
const SMALL = 100_000;
/** Rewritings after which the median is of compiled code: V8 is busy with it for the first thousands. */
const COMPILED = 20_000;

/** How large each is, and whether more is better. */
const SIZES: Readonly<Partial<Record<MicroName, number>>> = {
  'rewrite-count': COMPILED,
  'rewrite-sum': COMPILED,
  'rewrite-avg': COMPILED,
  'rewrite-group': COMPILED,
  evaluator: 3 * LARGE,
  'operator-count': LARGE,
  'operator-sum': LARGE,
  'operator-min': LARGE,
  'operator-max': LARGE,
  'operator-distinct': LARGE,
  'operator-grouped-count': LARGE,
  tree: SMALL,
};

/** What counts calls rather than the time of one. */
const RATES: ReadonlySet<string> = new Set<MicroName>(['evaluator']);

function compared(name: MicroName, size: number): Row {
  const isRate = RATES.has(name);
  return {
    name: `compared-${name}`,
    title: `${name} in two builds`,
    metrics: [isRate ? { name: 'calls', unit: 'per second' } : { name: 'time', unit: 'microseconds' }],
    async prepare({ quick, against = ROOT }) {
      const lanes = [
        [THIS, ROOT],
        [OTHER, against],
      ] as const;
      return {
        lanes: lanes.map(([lane, root]) =>
          micro(lane, name, quick ? size / 10 : size, join(root, 'bench/micro/process.ts')),
        ),
        rounds: quick ? 3 : 9,
        claims: [{ metric: 0, of: THIS, to: OTHER, ...(isRate ? { atLeast: 1 / AT_MOST } : { atMost: AT_MOST }) }],
      };
    },
  };
}

/** All of them. */
export const comparedRows: readonly Row[] = [
  comparedReads,
  watched,
  ...Object.keys(micros).flatMap((name) => {
    const known = name as MicroName;
    const size = SIZES[known];
    return size === undefined ? [] : [compared(known, size)];
  }),
];
