// What both drivers' calls share: from the term that a driver would send to the one that makes it live.

import { serializeTerm } from '../reql/term/serialize.ts';
import { type RewriteSettings, rewrite } from '../rewrite.ts';

/**
 * The term to send instead, as wire JSON; `undefined` where the query is to be sent as it is.
 * @param term the term as the driver would send it, already as JSON
 * @throws ReqlError for a query that cannot be kept right
 */
export function liveTerm(term: string, settings: RewriteSettings): string | undefined {
  const rewritten = rewrite(`[1,${term}]`, settings);
  switch (rewritten.kind) {
    case 'untouched':
      return undefined;
    case 'refused':
      throw rewritten.error;
    case 'rewritten':
      return serializeTerm(rewritten.term);
  }
}
