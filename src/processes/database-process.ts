// The in-memory database as the supervisor sees it: a process of its own, since what it evaluates must not keep the supervisor
// from hearing anything.

import type { ChildProcess } from 'node:child_process';
import type { Address } from '../../proxy/upstream/address.ts';
import type { Order, Report } from './message.ts';

/** The start of the database. */
export type DatabaseStart =
  | { readonly address: Address }
  | { readonly code: number | null; readonly complaint: string };

/** The process of the database. */
export class DatabaseProcess {
  /** Resolves when it listens, or when it has ended before that. */
  readonly started: Promise<DatabaseStart>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    let complaint = '';
    child.on('error', () => {});
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
    this.started = new Promise((resolve) => {
      child.on('message', (report: Report) => {
        if (report.kind === 'listening') resolve({ address: report.address });
        if (report.kind === 'complaint') complaint = report.line;
      });
      child.once('exit', (code) => resolve({ code, complaint }));
    });
  }

  /** Lets it stop; kills it if it has not ended after so many milliseconds. */
  async stop(patienceMs: number): Promise<void> {
    const order: Order = { kind: 'stop' };
    this.#child.send(order, () => {});
    const timer = setTimeout(() => this.kill(), patienceMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
