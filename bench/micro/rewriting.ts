// The time that a live query's rewriting takes, from text to text.

import type { Reql } from '../../rewrite/reql/build/r.ts';
import { wire } from '../query.ts';
import { median } from '../statistics.ts';
import { built } from './built.ts';
import type { Micro } from './index.ts';

/** Rewrites a query `size` times; the median of the times, in microseconds. */
export function rewriting(query: (t: Reql) => Reql): Micro {
  return async (size) => {
    const { rewrite } = await built<typeof import('../../rewrite/rewrite.ts')>('rewrite/rewrite');
    const text = wire((r) => query(r.db('shop').table('orders')));
    const times: number[] = [];
    for (let i = 0; i < size; i++) {
      const start = performance.now();
      const { kind } = rewrite(text);
      times.push((performance.now() - start) * 1000);
      if (kind !== 'rewritten') throw new Error(`${text} is ${kind}`);
    }
    return [median(times)];
  };
}
