// What a relay is given: the options of its listener, what the handshake told, and the two ends of the connection.

import type { Token } from '../wire/frame.ts';
import type { FeedQuery, OpenFeed, ProcessResources } from './feed-port.ts';
import type { Brake, Outlet } from './outlet.ts';

/** What a relay is set up with; the same for all connections of a listener. */
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

/** What the handshake told about the connection. */
export type ConnectionFacts = Omit<FeedQuery, 'body'>;

/** The two ends of a connection, and what can be done to them. */
export interface RelayEnds {
  readonly client: Outlet;
  readonly upstream: Outlet;
  readonly clientBrake: Brake;
  /** Ends the connection in good order; the reason is for the log. */
  end(reason: string): void;
}
