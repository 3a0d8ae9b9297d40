// The address at which a program of this machine that listens can be asked.

import type { Address } from '../../proxy/upstream/address.ts';

/** Addresses that stand for all of a machine's: it is asked at its own. */
const OWN: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The address to connect to, for one that is listened on. */
export function ownAddress({ host, port }: Address): Address {
  return { host: OWN.get(host) ?? host, port };
}
