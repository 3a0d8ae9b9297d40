// The client's form of a response to a query that RethinkDB runs whole: the same documents, with the notes
// that a feed of this kind has, and errors that point into the client's query.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { Live } from '../../../rewrite/live.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { ResponseNote, ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { errorBody } from '../../wire/response.ts';
import { inOurWords } from '../overflow.ts';
import { readResponse } from '../source/upstream-response.ts';
import { feedBody } from '../subscription/feed-body.ts';
import type { Translation } from './pass-feed.ts';

/** The query that RethinkDB gets. */
export interface Translated {
  readonly note: ResponseNote;
  readonly sent: Term;
  /** What the errors of its folds begin with. */
  readonly mark: string;
}

/** Makes the translation for a query. */
export function translation(live: Live, { includeStates }: FeedOptions, { note, sent, mark }: Translated): Translation {
  const notes = includeStates ? [note, ResponseNote.INCLUDES_STATES] : [note];
  return (body) => {
    const response = readResponse(body, sent);
    if (response instanceof ReqlError) return errorBody(inOurWords(response, live.changes.origin, mark));
    const type = response.more ? ResponseType.SUCCESS_PARTIAL : ResponseType.SUCCESS_SEQUENCE;
    return feedBody(
      type,
      response.documents.map((document) => jsonText(document)),
      notes,
      response.profile,
    );
  };
}
