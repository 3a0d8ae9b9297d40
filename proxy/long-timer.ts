// Timers for any time: those of Node hold 24.8 days, and fire at once, with a warning, when they are given more.

const LONGEST_MS = 2 ** 31 - 1;

/**
 * Calls back after so many milliseconds. Returns a function that cancels it.
 * @param keepsRunning whether the process waits for it
 */
export function after(ms: number, callback: () => void, keepsRunning = true): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = left > LONGEST_MS ? setTimeout(() => wait(left - LONGEST_MS), LONGEST_MS) : setTimeout(callback, left);
    if (!keepsRunning) timer.unref();
  };
  wait(ms);
  return () => clearTimeout(timer);
}
