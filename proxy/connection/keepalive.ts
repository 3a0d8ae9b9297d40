// Keepalive, by which the system finds out that an end is gone: TCP probes on connections where nothing moves.

/** The shortest delay that sockets take. */
const SHORTEST_MS = 1000;

/** Options of a socket that is probed after so many milliseconds of silence; 0 for one that is not. */
export function keepaliveOptions(keepaliveMs: number): {
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelay: number;
} {
  return { keepAlive: keepaliveMs > 0, keepAliveInitialDelay: Math.max(SHORTEST_MS, keepaliveMs) };
}
