// Joins and look-ups without the wire: changes of a row of either side, ten left rows for each right one.

import type { R, Reql } from '../../rewrite/reql/build/r.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { cpuTime } from './clock.ts';
import type { Micro } from './index.ts';
import { opened } from './operator.ts';

const CHANGES = 50_000;
/** Left rows for each right one. */
const LEFTS = 10;
/** Rows are taken in an order that looks like none: steps of a number prime to any size used here. */
const STEP = 7_919_033;

/** A query of `t` and `u`, and what upstream sends of row `i` of each; `n` tells one state of a row from another. */
interface Joined {
  readonly query: (t: Reql, r: R) => Reql;
  left(i: number, n: number, size: number): Datum;
  right(i: number, n: number): Datum;
}

/** Keeps `size` left rows and a tenth of it of right ones, then changes rows of one side; microseconds of CPU a change. */
export function joined({ query, left, right }: Joined, side: 'left' | 'right'): Micro {
  return async (size) => {
    let documents = 0;
    const { inputs, settle } = await opened(query, () => {
      documents++;
    });
    const rights = size / LEFTS;
    for (let i = 0; i < size; i++) inputs.change(null, left((i * STEP) % size, 0, size));
    for (let i = 0; i < rights; i++) inputs.change(null, right(i, 0));
    settle();
    const run = (count: number): number => {
      const start = cpuTime();
      for (let at = 0; at < count; at++) {
        const i = (at * STEP) % (side === 'left' ? size : rights);
        const [before, after] = side === 'left' ? [left(i, 0, size), left(i, 1, size)] : [right(i, 0), right(i, 1)];
        inputs.change(before, after);
        settle();
        inputs.change(after, before);
        settle();
      }
      return (cpuTime() - start) / (2 * count);
    };
    run(CHANGES / 10);
    const microseconds = run(CHANGES / 2);
    if (documents === 0) throw new Error('nothing was shown');
    return [microseconds];
  };
}

/** `t.eqJoin('n', u)`, of whose pairs a field of each side is read. */
export const pairs: Joined = {
  query: (t, r) =>
    t
      .eqJoin('n', r.table('u'))
      .map((pair: Reql) => pair('left')('x').add(pair('right')('y')))
      .sum(),
  left: (i, n, size) => [0, [[(i + n) % (size / LEFTS), { x: i }]]],
  right: (i, n) => [1, [[i, { y: n }]]],
};

/** A row that is looked up for each row: upstream tells of what is looked up by the first source. */
export const lookups: Joined = {
  query: (t, r) => t.map((row: Reql) => r.table('u').get(row('n'))('y').default(0)).sum(),
  left: (i, n, size) => [1, [{ n: (i + n) % (size / LEFTS) }]],
  right: (i, n) => [0, [[i, { y: n }]]],
};
