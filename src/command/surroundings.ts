// What the program needs of the process it runs in.

/** What a program has around it. */
export interface Surroundings {
  /** What was typed after the program's name. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A line on standard output, and on standard error. */
  print(line: string): void;
  complain(line: string): void;
  /** Ends the process. */
  exit(code: number): void;
  onSignal(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', callback: () => void): void;
}
