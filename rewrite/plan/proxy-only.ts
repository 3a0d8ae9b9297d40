// The parts of a live query that only the proxy can fold: RethinkDB has no term that says them.

import { aggregatesIn, joinsIn } from '../kinds/index.ts';
import type { Live } from '../live.ts';

/** Why a fold inside RethinkDB cannot say a live query, in words that follow "only the proxy"; `undefined` where it can. */
export function proxyOnly(watched: Live['watched']): string | undefined {
  if (watched.kind === 'reduced') return 'can call its `reducer`';
  if (joinsIn(watched).length > 0) return 'can keep both sides of a join';
  const beyond = aggregatesIn(watched).find(
    ({ aggregate: { server, evaluate } }) => server === undefined && evaluate === undefined,
  );
  return beyond === undefined ? undefined : `can keep the aggregate \`${beyond.aggregate.name}\` exactly`;
}
