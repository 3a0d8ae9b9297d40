// A query as its client has sent it.

import { isUtf8 } from 'node:buffer';
import { escapedSurrogates, utf8Text } from '../../../rewrite/reql/data/utf8.ts';
import type { FeedQuery } from '../../relay/feed-port.ts';

/** A query that is a text. */
export interface SentQuery extends FeedQuery {
  readonly text: string;
  /** The same for the same text of one user. */
  readonly sentAs: string;
}

/** The query with its text; `undefined` where it is none, and the server says so. */
export function readSent(query: FeedQuery): SentQuery | undefined {
  const text = decode(query.body);
  return text === undefined ? undefined : { ...query, text, sentAs: sentBy(query) + text };
}

/** Who sends a query, as far as it matters to what becomes of it. */
function sentBy({ user, protocol, serverVersion }: FeedQuery): string {
  return JSON.stringify([user ?? null, protocol, serverVersion ?? null]);
}

function decode(body: Buffer): string | undefined {
  const text = utf8Text(body);
  return text === undefined || isUtf8(body) ? text : escapedSurrogates(text);
}
