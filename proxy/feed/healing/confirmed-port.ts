// A connection over which a query is read again, once it is sure which tables it reads: a name may come to mean another table
// between the question and the query. The server is asked again when it has accepted the query, and until it has answered nobody
// hears that it has.

import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { UpstreamQuery } from '../../relay/feed-port.ts';
import { readResponseHead } from '../../wire/response.ts';
import { readIdentity } from '../sharing/table-identity.ts';
import type { SourcePort } from '../source/feed-source.ts';

/** The tables that are to be sure. */
export interface Confirmed {
  /** The question which tables a query reads. */
  readonly question: string;
  /** Which they are to be. */
  readonly identity: string;
  /** Whether the reading still goes on: what is asked of the tables later needs no second question. */
  readonly isReading: () => boolean;
  /** They are others, or the server does not say: nothing more is heard of the query. */
  readonly moved: (answer: Buffer) => void;
}

/** A port whose queries are heard of when the server has said that the tables are the same. */
export function confirmedPort(port: SourcePort, { question, identity, isReading, moved }: Confirmed): SourcePort {
  return {
    ...port,
    query(start, sink) {
      let state: 'sent' | 'asked' | 'sure' | 'dropped' = 'sent';
      const sent = port.query(start, {
        response(body) {
          if (state === 'sure' || !isReading() || !isFeed(body)) {
            sink.response(body);
            return;
          }
          // Nobody asks for more before this answer has been taken: it is the only one that waits.
          state = 'asked';
          port.ask(question, (answer) => {
            if (state !== 'asked') return;
            const isSame = readIdentity(answer) === identity;
            state = isSame ? 'sure' : 'dropped';
            if (isSame) sink.response(body);
            else moved(answer);
          });
        },
        failed: (error) => sink.failed(error),
        lost: () => sink.lost(),
      });
      const query: UpstreamQuery = {
        more: () => sent.more(),
        stop: () => sent.stop(),
        drop() {
          state = 'dropped';
          sent.drop();
        },
      };
      return query;
    },
  };
}

/** An error needs no second question. */
function isFeed(body: Buffer): boolean {
  const { type } = readResponseHead(body);
  return type === ResponseType.SUCCESS_PARTIAL || type === ResponseType.SUCCESS_SEQUENCE;
}
