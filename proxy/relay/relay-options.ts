// The options of a relay: those of its listener, what the handshake told, and the two ends of the connection.

import type { Token } from '../wire/frame.ts';
import type { FeedQuery, OpenFeed, ProcessResources } from './feed-port.ts';
import type { Brake, Outlet } from './outlet.ts';

/** The options of a relay, the same for all connections of a listener. */
export interface RelayOptions extends ProcessResources {
  readonly openFeed: OpenFeed;
  /** Feeds a client may have open at once. */
  readonly maxFeedsPerClient: number;
  /** Live queries with longer bodies are refused; other queries may have any length. */
  readonly maxQueryBytes: number;
  /** Whether logs may show the data in queries. */
  readonly logQueries: boolean;
  /** Makes tokens for the proxy's own queries; random ones if absent. */
  readonly makeToken?: (() => Token) | undefined;
}

/** The facts of a connection that its handshake told. */
export type ConnectionFacts = Omit<FeedQuery, 'body'>;

/** The two ends of a connection, and what can be done to them. */
export interface RelayEnds {
  readonly client: Outlet;
  readonly upstream: Outlet;
  readonly clientBrake: Brake;
  /** Ends the connection in good order; the reason is for the log. */
  end(reason: string): void;
}
