// The delay of this process's event loop, looked at ten times a second.

const EVERY_MS = 100;
const MS_PER_SECOND = 1000;

/** Tells the delay, in seconds, until the function that is returned is called. */
export function watchLoopDelay(tell: (seconds: number) => void): () => void {
  let due = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    tell(Math.max(0, now - due) / MS_PER_SECOND);
    due = now + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
