// The servers that run, for whoever has started them.

import type { Address } from '../../proxy/upstream/address.ts';

/** A proxy that serves. */
export interface Served {
  readonly address: Address;
  readonly upstreams: readonly Address[];
  /** Where its admin server is; `undefined` where it has none. */
  readonly admin: Address | undefined;
  /** Calls back when the stop begins. */
  onStop(callback: () => void): void;
}
