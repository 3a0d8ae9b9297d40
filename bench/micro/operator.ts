// The operators of the proxy plan without the wire: elements in, documents out.

import type { R, Reql } from '../../rewrite/reql/build/r.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { wire } from '../query.ts';
import { built } from './built.ts';
import { cpuTime } from './clock.ts';
import { heapBytes } from './heap.ts';
import type { Micro } from './index.ts';

const CHANGES = 200_000;
/** Microseconds of CPU after which no more changes are made: of a long list each costs milliseconds. */
const LONGEST = 1_000_000;
/** So many are made before the first look at the clock, and twice as many before each other: a look takes longer than a change. */
const FIRST_LOOK = 16;
/** What is known of any index that is asked about: that it is the primary key. */
const BY_ID = { fields: ['id'], compound: false, multi: false, primaryKey: 'id' };
/** Elements are numbers below the size in an order that looks like none: steps of a number prime to any size used here. */
const STEP = 7_919_033;

/** The operators of a query of the table `t`, whose primary key is `id`, as that of any other. */
export async function opened(query: (t: Reql, r: R) => Reql, tell: () => void) {
  const { recognize } = await built<typeof import('../../rewrite/recognize.ts')>('rewrite/recognize');
  const { parseQuery } = await built<typeof import('../../rewrite/reql/term/parse.ts')>('rewrite/reql/term/parse');
  const { createContext, pureTerms } =
    await built<typeof import('../../rewrite/reql/eval/index.ts')>('rewrite/reql/eval/index');
  const { StateGauge } = await built<typeof import('../../proxy/feed/operator/gauge.ts')>('proxy/feed/operator/gauge');
  const { ElementFold } = await built<typeof import('../../proxy/feed/source/element-fold.ts')>(
    'proxy/feed/source/element-fold',
  );
  const parsed = parseQuery(wire((r) => query(r.table('t'), r).changes()));
  const recognized = 'term' in parsed ? recognize(parsed, { indexes: () => BY_ID }) : undefined;
  if (recognized?.kind !== 'live') throw new Error('not live');
  const context = createContext({ terms: pureTerms, globalOptargs: [] });
  const gauge = new StateGauge({ maxStateRows: 1e9, maxStateBytes: 1e12 }, { addState() {} });
  const fold = new ElementFold(recognized.live, { context, gauge });
  fold.view.listen(tell);
  return {
    inputs: fold.inputs,
    settle: (): void => {
      fold.settle();
    },
  };
}

/** Keeps `size` elements, then changes them one by one; microseconds of CPU a change. */
export function operator(query: (t: Reql, size: number) => Reql, element: (n: number) => Datum): Micro {
  return async (size) => {
    let documents = 0;
    const { inputs, settle } = await opened(
      (t) => query(t, size),
      () => {
        documents++;
      },
    );
    const at = (i: number): number => (i * STEP) % size;
    for (let i = 0; i < size; i++) inputs.change(null, element(at(i)));
    settle();
    const run = (most: number): number => {
      const start = cpuTime();
      let count = 0;
      for (let look = FIRST_LOOK; count < most && cpuTime() - start < LONGEST; look *= 2) {
        for (; count < Math.min(look, most); count++) {
          const n = at(count % size);
          inputs.change(element(n), element(n + size));
          settle();
          inputs.change(element(n + size), element(n));
          settle();
        }
      }
      return (cpuTime() - start) / (2 * count);
    };
    run(CHANGES / 2);
    const microseconds = run(CHANGES / 2);
    if (documents === 0) throw new Error('nothing was shown');
    return [microseconds];
  };
}

/** Keeps `size` rows, then changes them one by one; microseconds of CPU a change, and bytes a row. */
export function operatorOfRows(query: (t: Reql) => Reql, row: (id: number, n: number) => Datum): Micro {
  return async (size) => {
    let documents = 0;
    const { inputs, settle } = await opened(query, () => {
      documents++;
    });
    const at = (i: number): number => (i * STEP) % size;
    const before = heapBytes();
    for (let i = 0; i < size; i++) inputs.change(null, row(i, at(i)));
    settle();
    const bytes = (heapBytes() - before) / size;
    const run = (most: number): number => {
      const start = cpuTime();
      for (let i = 0; i < most; i++) {
        const id = at(i) % size;
        inputs.change(row(id, at(id)), row(id, at(id) + size));
        settle();
        inputs.change(row(id, at(id) + size), row(id, at(id)));
        settle();
      }
      return (cpuTime() - start) / (2 * most);
    };
    run(CHANGES / 2);
    const microseconds = run(CHANGES / 2);
    if (documents === 0) throw new Error('nothing was shown');
    return [microseconds, bytes];
  };
}
