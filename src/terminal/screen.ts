// Lines that are drawn in place, on the terminal's second screen: what was there before comes back at the end, with the last
// lines below it.

import type { Terminal } from './terminal.ts';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const BEGIN_UPDATE = '\x1b[?2026h';
const END_UPDATE = '\x1b[?2026l';
const HOME = '\x1b[H';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_LINE_REST = '\x1b[K';

/** A screen of lines. */
export class Screen {
  readonly #terminal: Terminal;
  #lines: readonly string[] | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws lines in the place of those that are there; nothing where they are the same. */
  draw(lines: readonly string[]): void {
    const old = this.#lines;
    if (old !== undefined && old.length === lines.length && old.every((line, at) => line === lines[at])) return;
    const start = old === undefined ? ENTER : '';
    this.#lines = lines;
    const text = lines.map((line) => line + CLEAR_LINE_REST).join('\r\n');
    this.#terminal.write(`${start}${BEGIN_UPDATE}${HOME}${text}${CLEAR_BELOW}${END_UPDATE}`);
  }

  /** Draws the lines anew next time: the terminal has another size. */
  forget(): void {
    if (this.#lines !== undefined) this.#lines = [];
  }

  /** Gives the terminal back, with so many of the last lines left on it. */
  close(lines: readonly string[]): void {
    if (this.#lines === undefined) return;
    this.#lines = undefined;
    this.#terminal.write(`${LEAVE}${lines.map((line) => `${line}\r\n`).join('')}`);
  }
}
