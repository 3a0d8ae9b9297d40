// The error of a reading that was given up because it said nothing: in RethinkDB's terms like others, and a class of its own, so that
// whoever reads again need not know it by its words.

import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { ErrorType, ResponseType } from '../../../rewrite/reql/protocol.ts';

/** A reading was given up because it said nothing, and never would. */
export class SilentReading extends ReqlError {
  /**
   * @param ms for how many milliseconds nothing came
   * @param origin the place of CHANGES in the client's query
   */
  constructor(ms: number, origin: Origin | undefined) {
    super(
      ResponseType.RUNTIME_ERROR,
      ErrorType.OP_FAILED,
      `RethinkDB has stopped telling what there is at first: nothing came for ${Math.round(ms / 1000)} seconds, in which it counted the same rows and answered others.  It does so where too many rows change while a feed is opened.  Open it again when fewer do, or raise \`changefeed_queue_size\`.`,
      origin,
    );
  }
}
