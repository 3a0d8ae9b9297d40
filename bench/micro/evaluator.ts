// Calls of a compiled function.

import { makeR, type R, type Reql, termOfReql } from '../../rewrite/reql/build/r.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import { built } from './built.ts';
import { cpuTime } from './clock.ts';
import type { Micro } from './index.ts';

/** A function of two values, compiled as the proxy plan and the tree do. */
export async function compiled(make: (r: R) => (a: Reql, b: Reql) => Reql) {
  const { pureFunction } = await built<typeof import('../../rewrite/reql/eval/core/pure-function.ts')>(
    'rewrite/reql/eval/core/pure-function',
  );
  const { createContext, pureTerms } =
    await built<typeof import('../../rewrite/reql/eval/index.ts')>('rewrite/reql/eval/index');
  const r = makeR();
  const reduce: Term = termOfReql(r.expr([]).reduce(make(r)));
  const func = reduce.kind === 'call' ? reduce.args[1] : undefined;
  if (func?.kind !== 'call') throw new Error('no function');
  return pureFunction(func, createContext({ terms: pureTerms, globalOptargs: [] }));
}

/** Calls `(a, b) => a('n').add(b('n'))`; calls a second of CPU. */
export const evaluator: Micro = async (size) => {
  const add = await compiled(() => (a, b) => a('n').add(b('n')));
  const rows = Array.from({ length: 64 }, (_, n) => ({ n, name: `row ${n}` }));
  const run = (count: number): number => {
    const start = cpuTime();
    let sum = 0;
    for (let i = 0; i < count; i++) sum += Number(add([rows[i & 63] ?? null, rows[(i * 7) & 63] ?? null]));
    if (!(sum > 0)) throw new Error('a sum is missing');
    return cpuTime() - start;
  };
  run(size / 10);
  return [(size * 1e6) / run(size)];
};
