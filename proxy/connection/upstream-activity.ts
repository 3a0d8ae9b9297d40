// The activity of a connection to upstream, for those who look whether upstream is alive.

import type { Socket } from 'node:net';
import type { Relay } from '../relay/relay.ts';
import type { UpstreamActivity } from './upstream-liveness.ts';

/** The activity of an open connection. `now`: milliseconds on a clock that does not go back. */
export function upstreamActivity(upstream: Socket, relay: Relay, now: number): UpstreamActivity {
  return {
    now,
    received: upstream.bytesRead,
    sent: upstream.bytesWritten - upstream.writableLength,
    backlog: upstream.writableLength > 0,
    noreply: relay.noreply,
    // While the client is slow, upstream is not read.
    answerable: relay.isAnswerable && !upstream.isPaused(),
  };
}
