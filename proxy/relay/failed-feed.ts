// A feed that has failed while its client asked for nothing.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { ResponseType } from '../../rewrite/reql/protocol.ts';
import { errorBody, sequenceBody } from '../wire/response.ts';
import type { Feed, FeedIo } from './feed-port.ts';

/** Stands for a feed that failed while the client was not asking: the next thing asked gets the error. */
export function failedFeed(io: FeedIo, error: ReqlError): Feed {
  return {
    continue() {
      io.toClient(errorBody(error));
      io.ended(error);
    },
    stop() {
      io.toClient(sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
      io.ended(error);
    },
    close() {},
    abort() {},
  };
}
