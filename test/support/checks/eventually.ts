// For what has no message to wait for: a condition is looked at again in each turn of the event loop, up to a deadline.

const DEADLINE_MS = 10_000;

/** Resolves when the condition holds; rejects, with what was waited for, when it does not in time. */
export async function eventually(what: string, holds: () => boolean, deadlineMs: number = DEADLINE_MS): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
