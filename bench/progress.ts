// The progress of a run, on standard error: a line for each row, and, at a terminal, each round in that line.

/** Says what goes on. */
export interface Progress {
  /** Something begins that takes a while. */
  begins(what: string): void;
  /** How far it is. */
  step(done: number, of: number): void;
  /** It is over. */
  ends(): void;
}

/** Progress on a stream. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  let what = '';
  const terminal = stream.isTTY === true;
  return {
    begins(text) {
      what = text;
      stream.write(terminal ? text : `${text}\n`);
    },
    step(done, of) {
      if (terminal) stream.write(`\r\x1b[K${what}, round ${done} of ${of}`);
    },
    ends() {
      if (terminal) stream.write('\r\x1b[K');
    },
  };
}
