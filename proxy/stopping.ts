// The error with which feeds end when the proxy stops: they never end by themselves, so that waiting for them would be in vain.

import { opFailed } from '../rewrite/reql/error.ts';

/**
 * The kind and the last sentence are those of RethinkDB for feeds whose server goes away (changefeed.cc, stop_subs), which
 * programs take for a reason to try again.
 */
export const STOPPING = opFailed(
  'The proxy is stopping: connect again and open the feed anew.  Changefeed aborted (unavailable).',
);
