// The last phases: nothing is relayed any more, and what still comes is dropped.

import type { Phase } from './phase.ts';

/** A session that is over but for its sockets. */
export const ENDED: Phase = {
  isArriving: false,
  betweenAnswers: true,
  fromClient() {},
  fromUpstream: () => false,
  clientEnded() {},
  upstreamGone() {},
  timedOut() {},
  drain() {},
  lookForSilence() {},
  leave() {},
};
