// Listening on an address.

import type { ListenOptions, Server } from 'node:net';
import type { Address } from './upstream/address.ts';

/** Node's option for SO_REUSEPORT, which its types for the oldest version that is served do not know. */
interface ReusePort extends ListenOptions {
  readonly reusePort?: boolean;
}

/**
 * Lets a server listen.
 * @param reusePort whether other processes may listen on the port beside it: see `canReusePort`
 * @returns a promise that rejects with the system's error
 */
export function listen(server: Server, { host, port }: Address, reusePort: boolean): Promise<void> {
  const options: ReusePort = { host, port, ...(reusePort ? { reusePort } : {}) };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Whether a version of Node, as in `process.version`, can let several processes listen on one port; others take no notice of the
 * option.
 */
export function canReusePort(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}
