// What `info` shows of a function.

import type { ReqlFunc } from './reql-func.ts';

/** The text of a function. */
export function printFunction(func: ReqlFunc): string {
  return `function (args = [${func.code.params.join(', ')}])`;
}
