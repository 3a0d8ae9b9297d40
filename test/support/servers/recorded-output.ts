// Standard output of a program under test: what it wrote, and a terminal if it is to have one.

import type { Output, Size } from '../../../src/terminal/terminal.ts';

/** An output that keeps what is written to it. */
export interface RecordedOutput extends Output {
  /** All that was written. */
  readonly text: () => string;
  /** Gives the terminal another size. */
  resize(size: Size): void;
  /** The reader goes. */
  leave(): void;
}

/** An output; a terminal of a size where one is given. */
export function recordedOutput(size?: Size): RecordedOutput {
  let text = '';
  let now = size;
  let resized = (): void => {};
  let gone = (): void => {};
  const write = (more: string): void => {
    text += more;
  };
  const terminal = {
    size: () => now ?? { columns: 80, rows: 24 },
    hasColours: false,
    write,
    onResize: (callback: () => void) => {
      resized = callback;
    },
  };
  return {
    terminal: size === undefined ? undefined : terminal,
    write: async (more) => write(more),
    onGone: (callback) => {
      gone = callback;
    },
    text: () => text,
    resize(next) {
      now = next;
      resized();
    },
    leave: () => gone(),
  };
}
