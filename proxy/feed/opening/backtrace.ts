// Frames of RethinkDB's backtraces point into the query that the proxy sent. Here they become places in the query that
// the client sent: every generated term carries the origin of the client's term that it stands for.

import type { Frame, Origin } from '../../../rewrite/reql/origin.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';

/** The innermost place in the client's query on the way that the frames go down; `undefined` where there is none. */
export function originOf(sent: Term, frames: readonly Frame[]): Origin | undefined {
  let term: Term | undefined = sent;
  let { origin } = sent;
  for (const frame of frames) {
    term = childAt(term, frame);
    if (term === undefined) break;
    origin = term.origin ?? origin;
  }
  return origin;
}

function childAt(term: Term, frame: Frame): Term | undefined {
  if (term.kind === 'datum') return undefined;
  if (typeof frame === 'number') return term.kind === 'call' ? term.args[frame] : undefined;
  const entries = term.kind === 'call' ? term.optargs : term.fields;
  return entries.find(([name]) => name === frame)?.[1];
}
