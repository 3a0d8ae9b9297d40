// Upstream's signs that it had to leave out changes: a document of a bare feed, an error where a fold met it. The value
// of an aggregate is wrong from there on.

import { isOutgrown } from '../../rewrite/plan/server/outgrown.ts';
import { type DatumObject, getField } from '../../rewrite/reql/data/datum.ts';
import { type ReqlError, resourceLimit } from '../../rewrite/reql/error.ts';
import type { Origin } from '../../rewrite/reql/origin.ts';

/** How the text begins (changefeed.cc, get_els). */
const OVERFLOW = 'Changefeed cache over array size limit';

/** The error with which a feed ends that got this document; `undefined` for any other document. */
export function overflowOf(document: DatumObject, origin: Origin | undefined): ReqlError | undefined {
  const text = getField(document, 'error');
  return typeof text === 'string' && text.startsWith(OVERFLOW) ? gap(text, origin) : undefined;
}

/** The error as it is, or as one of a limit where a fold has met an overflow, or has more elements than it is to keep. */
export function inOurWords(error: ReqlError, origin: Origin | undefined): ReqlError {
  if (isOutgrown(error)) return resourceLimit(error.message, origin);
  return error.message.startsWith(OVERFLOW) ? gap(error.message, origin) : error;
}

/** Whether an error says that there is a gap in what upstream told. */
export function isGap(error: ReqlError): boolean {
  return error.message.startsWith(OVERFLOW);
}

function gap(text: string, origin: Origin | undefined): ReqlError {
  return resourceLimit(
    `${text}  A value computed over a gap would be wrong, so this feed ends.  Open it again, or raise \`changefeed_queue_size\`.`,
    origin,
  );
}
