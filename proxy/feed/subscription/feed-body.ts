// The body of a response of a feed.

import type { ResponseType } from '../../../rewrite/reql/protocol.ts';
import { sequenceBody } from '../../wire/response.ts';

/** A batch of documents that are JSON already; `profile` is the JSON of `p`, where the query is profiled. */
export function feedBody(
  type: typeof ResponseType.SUCCESS_PARTIAL | typeof ResponseType.SUCCESS_SEQUENCE,
  documents: readonly string[],
  notes: readonly number[],
  profile: string | undefined,
): string {
  const body = sequenceBody(type, documents, notes);
  if (profile === undefined) return body;
  // The server puts `p` before the notes, which are last (json.cc).
  const end = body.lastIndexOf(',"n":');
  return `${body.slice(0, end)},"p":${profile}${body.slice(end)}`;
}
