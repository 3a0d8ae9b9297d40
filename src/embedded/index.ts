// An in-memory RethinkDB 2.4.4 for trying, developing and testing. It stores nothing, and knows nothing of live aggregates:
// it refuses them as RethinkDB does.

import { type EmbeddedAddress, type EmbeddedOptions, EmbeddedServer } from './server.ts';

export type { EmbeddedAddress, EmbeddedOptions, EmbeddedServer } from './server.ts';

/**
 * Starts an embedded server. Resolves once it accepts connections; rejects with Node's own error where it cannot listen.
 * `close()` frees everything at once. Servers share nothing with each other.
 */
export async function createEmbeddedServer(options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const address: EmbeddedAddress = { host: options.host ?? '127.0.0.1', port: options.port ?? 0 };
  const server = new EmbeddedServer(options);
  await server.listen(address.host, address.port);
  return server;
}
