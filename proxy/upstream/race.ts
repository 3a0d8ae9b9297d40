// A race to reach the first of several servers: they are tried in turn, the next one as soon as one has failed or has kept the
// caller waiting. So a server whose machine is gone, and which refuses nobody, costs a client a moment and not the whole time to
// connect.

import type { Socket } from 'node:net';

/** The outcome of an attempt: a connection, or the reason for which there is none. */
export type Outcome = Socket | string;

/** Tries one of them. Calls back once. Returns a function that gives the attempt up: nothing is called back after it. */
export type Attempt<Server> = (server: Server, settle: (outcome: Outcome) => void) => () => void;

/** The finish of a race. Exactly one of the two is called, unless the race is given up. */
export interface Finish<Server> {
  reached(socket: Socket, server: Server): void;
  /** Nobody is reached; `reason` is what the last one failed for. */
  failed(reason: string): void;
}

/** How long one of several may keep the caller waiting alone. */
const ALONE_MS = 250;

/**
 * Begins a race. Attempts that were too slow go on until they are settled, so that `attempt` learns how each has ended; a
 * connection that comes too late is closed.
 * @param over called when no attempt is left
 * @returns a function that ends the race and all attempts
 */
export function startRace<Server>(
  servers: readonly Server[],
  attempt: Attempt<Server>,
  finish: Finish<Server>,
  over: () => void,
): () => void {
  const waiting = [...servers];
  const running = new Set<() => void>();
  let isWanted = true;
  let reason = 'no upstream is configured';
  let timer: NodeJS.Timeout | undefined;
  const settled = (outcome: Outcome, server: Server): void => {
    if (typeof outcome === 'string') {
      reason = outcome;
      if (isWanted) tryNext();
      return;
    }
    if (!isWanted) {
      outcome.on('error', () => {});
      outcome.destroy();
      return;
    }
    isWanted = false;
    clearTimeout(timer);
    finish.reached(outcome, server);
  };
  const tryNext = (): void => {
    clearTimeout(timer);
    const server = waiting.shift();
    if (server === undefined) {
      if (running.size === 0) finish.failed(reason);
      return;
    }
    const giveUp = attempt(server, (outcome) => {
      running.delete(giveUp);
      settled(outcome, server);
      if (running.size === 0) over();
    });
    running.add(giveUp);
    if (waiting.length > 0) timer = setTimeout(tryNext, ALONE_MS);
  };
  tryNext();
  return () => {
    isWanted = false;
    clearTimeout(timer);
    for (const giveUp of running) giveUp();
    running.clear();
    over();
  };
}
