// A worker as the supervisor sees it.

import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Heard, Member } from '../admin/gathered.ts';
import type { AdminAnswers, AdminQuestion, AskAdmin } from '../admin/question.ts';
import type { UpstreamStatus } from '../admin/status.ts';
import type { Taker } from './front-door.ts';
import type { Order, Report } from './message.ts';

/** How long a worker may take to answer a question, in milliseconds. */
const ANSWER_MS = 1000;

/** The end of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds that it lived. */
  readonly lived: number;
}

/** The start of a worker: it can take clients, or it has ended, with what it said was wrong. */
export type Start =
  | { readonly ready: true }
  | { readonly ready: false; readonly exit: Exit; readonly complaint: string };

/** A worker. */
export class WorkerProcess implements Taker, Member {
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
  #isReady = false;
  #isStopping = false;
  #upstreams: readonly UpstreamStatus[] = [];
  #last: Heard | undefined;
  /** Who waits for answers to questions, by their numbers. */
  readonly #asking = new Map<number, (answer: AdminAnswers[keyof AdminAnswers] | undefined) => void>();
  #asked = 0;

  constructor(id: number, child: ChildProcess) {
    const startedAt = performance.now();
    this.id = id;
    this.pid = child.pid;
    this.#child = child;
    // A worker that cannot be started, or be told anything, ends; the handler of the end sees to the rest.
    child.on('error', () => {});
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#isOver = true;
        for (const settle of this.#asking.values()) settle(undefined);
        this.#settle(false);
        resolve({ code, signal, lived: Math.round(performance.now() - startedAt) });
      });
    });
    this.started = new Promise((resolve) => {
      child.on('message', (report: Report) => {
        if (report.kind === 'ready') {
          this.#isReady = true;
          resolve({ ready: true });
        }
        if (report.kind === 'upstreams') this.#upstreams = report.upstreams;
        if (report.kind === 'answer') this.#asking.get(report.id)?.(report.answer);
        if (report.kind === 'counted') this.#last = { metrics: report.metrics, status: report.status };
        if (report.kind === 'taken') this.#settle(true);
        if (report.kind === 'complaint') this.#complaint = report.line;
      });
      void this.ended.then((exit) => resolve({ ready: false, exit, complaint: this.#complaint }));
    });
  }

  /** Whether it serves clients, or lets its last ones finish. */
  get isAtWork(): boolean {
    return this.#isReady && !this.#isOver;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get upstreams(): readonly UpstreamStatus[] {
    return this.#upstreams;
  }

  get last(): Heard | undefined {
    return this.#last;
  }

  /** Asks the worker something for the admin server. A worker that is stuck is not waited for. */
  readonly ask: AskAdmin = <About extends keyof AdminAnswers>(question: AdminQuestion<About>) => {
    this.#asked++;
    const id = this.#asked;
    return new Promise<AdminAnswers[About] | undefined>((resolve) => {
      const settle = (answer: AdminAnswers[keyof AdminAnswers] | undefined): void => {
        clearTimeout(timer);
        this.#asking.delete(id);
        // Its kind is that of the question.
        resolve(answer as AdminAnswers[About] | undefined);
      };
      const timer = setTimeout(() => settle(undefined), ANSWER_MS);
      this.#asking.set(id, settle);
      if (this.#isOver) settle(undefined);
      else this.#order({ kind: 'ask', id, question });
    });
  };

  /** Whether it had to be killed. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  offer(client: Socket, answer: (taken: boolean) => void): void {
    this.#answer = answer;
    const order: Order = { kind: 'client' };
    // The socket stays open here until the worker says that it has it: a socket on its way to a worker that dies is not lost.
    this.#child.send(order, client, { keepOpen: true }, (error) => {
      if (error !== null) this.#settle(false);
    });
  }

  /** Lets it stop in good order; kills it if it has not ended after so many milliseconds, and calls back then. */
  stop(patienceMs: number, onKill: () => void): void {
    this.#isStopping = true;
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
