// Upstream's signs that it had to leave out changes: a document of a bare feed, an error where a fold met it. The value
// of an aggregate is wrong from there on.

import { OUTGROWN } from '../../rewrite/plan/server/outgrown.ts';
import { type DatumObject, getField } from '../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../rewrite/reql/error.ts';
import type { Origin } from '../../rewrite/reql/origin.ts';
import { ErrorType, ResponseType } from '../../rewrite/reql/protocol.ts';

/** How the text begins (changefeed.cc, get_els). */
const OVERFLOW = 'Changefeed cache over array size limit';

/** The error with which a feed ends that got this document; `undefined` for any other document. */
export function overflowOf(document: DatumObject, origin: Origin | undefined): ReqlError | undefined {
  const text = getField(document, 'error');
  return typeof text === 'string' && text.startsWith(OVERFLOW) ? gap(text, origin) : undefined;
}

/**
 * An error of a fold as it is, or as one of a limit where the fold itself has raised it: it has met an overflow, or has more elements than
 * it is to keep. `mark`: what such errors begin with, which nobody is shown.
 */
export function inOurWords(error: ReqlError, origin: Origin | undefined, mark: string): ReqlError {
  if (!error.message.startsWith(mark)) return error;
  const text = error.message.slice(mark.length);
  return text.startsWith(OUTGROWN) ? new OutgrownFold(text, origin) : gap(text, origin);
}

/**
 * What a fold ends with whose state grows: a limit of the server's own that its bags have met, of arrays or of what it takes to
 * evaluate them, is one that the proxy has not.
 */
export function outgrowing(error: ReqlError): ReqlError {
  const isLimit = error.errorType === ErrorType.RESOURCE_LIMIT && !isGap(error);
  return isLimit ? new OutgrownFold(error.message, error.origin) : error;
}

/** Whether an error says that there is a gap in what upstream told. */
export function isGap(error: ReqlError): boolean {
  return error instanceof Gap;
}

/** Whether an error says that a fold has too many elements. */
export function isOutgrown(error: ReqlError): boolean {
  return error instanceof OutgrownFold;
}

/** Classes of their own, so that whoever reads again need not know them by their words, which a term of the client's can say, too. */
class LimitError extends ReqlError {
  constructor(text: string, origin: Origin | undefined) {
    super(ResponseType.RUNTIME_ERROR, ErrorType.RESOURCE_LIMIT, text, origin);
  }
}

class Gap extends LimitError {}
class OutgrownFold extends LimitError {}

function gap(text: string, origin: Origin | undefined): ReqlError {
  return new Gap(
    `${text}  A value computed over a gap would be wrong, so this feed ends.  Open it again, or raise \`changefeed_queue_size\`.`,
    origin,
  );
}
