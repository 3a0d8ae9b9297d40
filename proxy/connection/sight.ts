// The sight of a connection to upstream, for those who look whether it is silent.

import type { Socket } from 'node:net';
import type { Relay } from '../relay/relay.ts';
import type { Sight } from './silence.ts';

/** The sight of an open connection. `now`: milliseconds on a clock that does not go back. */
export function sightOf(upstream: Socket, relay: Relay, now: number): Sight {
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
