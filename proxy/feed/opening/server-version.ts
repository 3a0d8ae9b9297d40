// The servers that can carry live queries: `fold` works on feeds from RethinkDB 2.3.3 on.

import { Refusal } from '../../../rewrite/refusal.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';

const NEEDED = [2, 3, 3] as const;

/** The refusal where a server is too old; one that does not say its version is taken at its word. */
export function tooOld(serverVersion: string | undefined, origin: Origin | undefined): ReqlError | undefined {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(serverVersion ?? '');
  if (match === null) return undefined;
  const version = match.slice(1).map((part) => Number(part ?? 0));
  const differing = NEEDED.findIndex((part, index) => version[index] !== part);
  if (differing < 0 || (version[differing] ?? 0) > (NEEDED[differing] ?? 0)) return undefined;
  return new Refusal(
    `Cannot watch this query: it needs RethinkDB ${NEEDED.join('.')} or newer, and the server is ${match[0]}.`,
    origin,
  );
}
