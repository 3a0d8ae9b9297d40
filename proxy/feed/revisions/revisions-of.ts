// A client's wishes about revisions, with a `since` that is checked to be one of this query.

import { createHash } from 'node:crypto';
import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { Live } from '../../../rewrite/live.ts';
import { liveKey } from '../../../rewrite/live-key.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { canonicalKey } from '../../../rewrite/reql/term/canonical-key.ts';
import { readRev } from './rev.ts';
import type { Revisions } from './rev-writer.ts';
import { RevWriter } from './rev-writer.ts';

/** Letters of the name of a query. */
const NAME = 12;

/**
 * What a client wants.
 * @throws ReqlError for a `since` that is no revision, or one of another query
 */
export function revisionsOf(
  live: Live,
  { includeRevs, since: text }: Pick<FeedOptions, 'includeRevs' | 'since'>,
  user: string | undefined,
): Revisions {
  if (!includeRevs && text === undefined) return { writer: undefined, since: undefined };
  const query = nameOf(live, user);
  const writer = includeRevs ? new RevWriter(query) : undefined;
  if (text === undefined) return { writer, since: undefined };
  const origin = live.changes.optargs.find(([name]) => name === 'since')?.[1].origin;
  const since = readRev(text);
  if (since === undefined) {
    throw logicError(
      'The text in `since` is no `rev` of a document of this query. Open the feed without `since`, with `include_initial`.',
      origin,
    );
  }
  if (since.query !== query) {
    throw logicError(
      'The `rev` in `since` is of another query, or of another user. Open the feed without `since`, with `include_initial`.',
      origin,
    );
  }
  return { writer, since };
}

/** A text that is the same for equal queries of one user. */
function nameOf(live: Live, user: string | undefined): string {
  const [watched] = live.changes.args;
  const key = liveKey(live) ?? (watched === undefined ? '' : canonicalKey(watched));
  return createHash('sha256')
    .update(JSON.stringify([user ?? null, key]))
    .digest('base64url')
    .slice(0, NAME);
}
