// A worker as the supervisor sees it.

import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Taker } from './front-door.ts';
import type { Order, Report } from './message.ts';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds that it lived. */
  readonly lived: number;
}

/** How a worker has started: it can take clients, or it has ended, with what it said was wrong. */
export type Start =
  | { readonly ready: true }
  | { readonly ready: false; readonly exit: Exit; readonly complaint: string };

/** One worker. */
export class WorkerProcess implements Taker {
  readonly id: number;
  readonly pid: number | undefined;
  /** Resolves when it can take clients, or when it has ended before that. */
  readonly started: Promise<Start>;
  /** Resolves when it has ended. */
  readonly ended: Promise<Exit>;
  readonly #child: ChildProcess;
  #answer: ((taken: boolean) => void) | undefined;
  #complaint = '';
  #isOver = false;
  #wasKilled = false;

  constructor(id: number, child: ChildProcess) {
    const startedAt = performance.now();
    this.id = id;
    this.pid = child.pid;
    this.#child = child;
    // One that cannot be started, or be told anything, ends; what follows from that is seen there.
    child.on('error', () => {});
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isOver = true;
        this.#settle(false);
        resolve({ code, signal, lived: Math.round(performance.now() - startedAt) });
      });
    });
    this.started = new Promise((resolve) => {
      child.on('message', (report: Report) => {
        if (report.kind === 'ready') resolve({ ready: true });
        if (report.kind === 'taken') this.#settle(true);
        if (report.kind === 'complaint') this.#complaint = report.line;
      });
      void this.ended.then((exit) => resolve({ ready: false, exit, complaint: this.#complaint }));
    });
  }

  /** Whether it had to be killed. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  offer(client: Socket, answer: (taken: boolean) => void): void {
    this.#answer = answer;
    const order: Order = { kind: 'client' };
    // The socket stays open here until the worker says that it has it: what is under way to one that dies is not lost.
    this.#child.send(order, client, { keepOpen: true }, (error) => {
      if (error !== null) this.#settle(false);
    });
  }

  /** Lets it stop in good order; kills it if it has not ended after so many milliseconds, and calls back then. */
  stop(patienceMs: number, onKill: () => void): void {
    this.#order({ kind: 'stop' });
    const timer = setTimeout(() => {
      if (this.#isOver) return;
      onKill();
      this.kill();
    }, patienceMs);
    void this.ended.then(() => clearTimeout(timer));
  }

  /** Lets it read certificates again. */
  reload(): void {
    this.#order({ kind: 'reload' });
  }

  /** Ends it at once. */
  kill(): void {
    this.#wasKilled = true;
    this.#child.kill('SIGKILL');
  }

  #order(order: Order): void {
    if (!this.#isOver) this.#child.send(order, () => {});
  }

  #settle(taken: boolean): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(taken);
  }
}
