// Standard output, as far as a program cares where it goes.

import { watchReader } from './reader-gone.ts';

/** A terminal that can be drawn on. */
export interface Terminal {
  /** The size that it has now. */
  readonly size: () => Size;
  readonly hasColours: boolean;
  write(text: string): void;
  /** Calls back whenever it gets another size. */
  onResize(callback: () => void): void;
}

/** Columns and lines. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Standard output. */
export interface Output {
  /** `undefined` where output goes to a file or a pipe, or to a terminal on which nothing can be drawn. */
  readonly terminal: Terminal | undefined;
  /** Writes a text. Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Calls back when nobody reads it any more. */
  onGone(callback: () => void): void;
}

/** The process's own. */
export function outputOf(stream: NodeJS.WriteStream & { readonly fd: number }, env: NodeJS.ProcessEnv): Output {
  const isDrawable = stream.isTTY === true && env['TERM'] !== 'dumb';
  return {
    terminal: isDrawable ? terminalOf(stream, env) : undefined,
    write: (text) =>
      new Promise((resolve) => {
        if (stream.write(text)) resolve();
        else stream.once('drain', resolve);
      }),
    onGone(callback) {
      stream.on('error', callback);
      void watchReader(stream.fd, callback);
    },
  };
}

function terminalOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  return {
    size: () => ({ columns: stream.columns, rows: stream.rows }),
    hasColours: stream.hasColors() && (env['NO_COLOR'] ?? '') === '',
    write: (text) => void stream.write(text),
    onResize: (callback) => void stream.on('resize', callback),
  };
}
