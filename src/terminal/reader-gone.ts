// Whether somebody still reads a pipe: `livefold watch QUERY | head -1` ends when `head` does. A write tells, but the next one may be
// hours away, and Node waits for nothing on a pipe that it only writes to. What asks the system (`poll`) is in Node's own WASI.

import { fstatSync } from 'node:fs';

/** How often it is looked at, in milliseconds. */
const EVERY_MS = 250;

/** Calls back once when nobody reads the pipe any more. Where the output is no pipe, or Node cannot look, only writes tell. */
export async function watchReader(fd: number, gone: () => void): Promise<void> {
  if (!isPipe(fd)) return;
  const look = await lookAt(fd);
  if (look === undefined) return;
  const timer = setInterval(() => {
    if (look()) return;
    clearInterval(timer);
    gone();
  }, EVERY_MS);
  timer.unref();
}

function isPipe(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false;
  }
}

/** Where `poll_oneoff` reads what it is to wait for, and writes what came: a pipe and a clock, 48 bytes each, then events of 32. */
const SUBSCRIPTION = { tag: 8, of: 16, timeout: 24, bytes: 48 } as const;
const EVENT = { error: 8, type: 10, bytes: 32 } as const;
const EVENTS_AT = 2 * SUBSCRIPTION.bytes;
const COUNT_AT = EVENTS_AT + 2 * EVENT.bytes;
const CLOCK = 0;
const MONOTONIC = 1;
const WRITE = 2;
/** A pipe that is full and read is ready for nothing: the clock ends the wait. */
const PATIENCE_NS = 1_000_000n;

/** What of WebAssembly is needed: types of Node have none of it. */
interface WebAssembler {
  readonly Memory: new (pages: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
}

/** Makes a look at a pipe: whether it has a reader. */
async function lookAt(fd: number): Promise<(() => boolean) | undefined> {
  try {
    const { WASI } = await import('node:wasi');
    const { Memory }: WebAssembler = Object(globalThis).WebAssembly;
    const memory = new Memory({ initial: 1 });
    const wasi = new WASI({ version: 'preview1', stdout: fd });
    wasi.initialize({ exports: { memory } });
    const poll: unknown = wasi.wasiImport['poll_oneoff'];
    if (typeof poll !== 'function') return undefined;
    const view = new DataView(memory.buffer);
    view.setUint8(SUBSCRIPTION.tag, WRITE);
    view.setUint32(SUBSCRIPTION.of, STDOUT, true);
    view.setUint8(SUBSCRIPTION.bytes + SUBSCRIPTION.tag, CLOCK);
    view.setUint32(SUBSCRIPTION.bytes + SUBSCRIPTION.of, MONOTONIC, true);
    view.setBigUint64(SUBSCRIPTION.bytes + SUBSCRIPTION.timeout, PATIENCE_NS, true);
    return () => {
      const failed = poll(0, EVENTS_AT, 2, COUNT_AT) !== 0;
      return failed || !isBroken(view);
    };
  } catch {
    return undefined;
  }
}

/** What standard output is called there. */
const STDOUT = 1;

function isBroken(view: DataView): boolean {
  for (let at = EVENTS_AT; at < EVENTS_AT + view.getUint32(COUNT_AT, true) * EVENT.bytes; at += EVENT.bytes) {
    if (view.getUint8(at + EVENT.type) === WRITE && view.getUint16(at + EVENT.error, true) !== 0) return true;
  }
  return false;
}
