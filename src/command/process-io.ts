// The part of its process that the program needs.

import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Assignment, Order, Report } from '../processes/message.ts';
import type { Output } from '../terminal/terminal.ts';

/** The ways in and out that a program has. */
export interface ProcessIo {
  /** What was typed after the program's name. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The part that this process has in the whole. */
  readonly part: Part;
  /** A line on standard output, and on standard error. */
  print(line: string): void;
  complain(line: string): void;
  /** Standard output, for what is drawn, or is more than lines now and then. */
  readonly output: Output;
  /** Ends the process. */
  exit(code: number): void;
  onSignal(signal: Signal, callback: () => void): void;
  /** Takes what Node would print by itself: warnings, and what nobody has caught, after which the process must end. */
  onTrouble(warning: (warning: Error) => void, uncaught: (error: unknown) => void): void;
}

/** Signals that the program obeys. */
export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGUSR2';

/**
 * `alone`: does everything itself. `supervisor`: serves through processes that it starts. `child`: is one of those.
 */
export type Part =
  | { readonly kind: 'alone' }
  | { readonly kind: 'supervisor'; start(assignment: Assignment): ChildProcess }
  | { readonly kind: 'child'; readonly assignment: Assignment; readonly supervisor: Superior };

/** The supervisor as its children see it. */
export interface Superior {
  report(report: Report): void;
  /** Calls back for each order; the socket is there for a client that has not left on its way. */
  onOrder(callback: (order: Order, socket: Socket | undefined) => void): void;
  /** Calls back when the supervisor is gone. */
  onGone(callback: () => void): void;
}
