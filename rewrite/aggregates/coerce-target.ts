// The type that a call of `coerceTo` asks for, where it is written out.

import type { CallTerm } from '../reql/term/term.ts';

/** The literal type name of a COERCE_TO, in lower case as drivers spell it; the server takes any case. */
export function coerceTarget({ args: [, type] }: CallTerm): string | undefined {
  return type?.kind === 'datum' && typeof type.value === 'string' ? type.value.toLowerCase() : undefined;
}
