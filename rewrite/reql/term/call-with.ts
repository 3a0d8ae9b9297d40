// A call like another one, with other parts.

import type { CallTerm } from './term.ts';

/** The parts of a call that another may have instead. */
export type CallParts = Partial<Pick<CallTerm, 'type' | 'args' | 'optargs'>>;

/**
 * A call with other parts. It stands at the same place of the client's query, but no longer has the text that the client wrote.
 * It is written out, part by part: a copy by spread takes V8 a hundred times as long, and rewriting makes many.
 */
export function callWith(call: CallTerm, parts: CallParts): CallTerm {
  const { type = call.type, args = call.args, optargs = call.optargs } = parts;
  const { origin } = call;
  return origin === undefined ? { kind: 'call', type, args, optargs } : { kind: 'call', type, args, optargs, origin };
}
