// A feed as a picture on a terminal, which is drawn again when something has changed, and while marks fade.

import type { Batch } from '../client/client.ts';
import { painted } from '../terminal/palette.ts';
import { Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { drawing } from './drawing.ts';
import { LiveView } from './live-view.ts';
import type { WatchedQuery } from './watched-query.ts';

/** The eye sees no more than ten pictures a second as different ones, and drawing takes a tenth of the time at most. */
const PAUSE_MS = 100;
const PAUSE_OF_COST = 9;
const MOST_HISTORY = 200;

/** Draws one feed. */
export class Picture {
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #view: LiveView;
  readonly #query: string;
  readonly #source: string;
  #history: readonly number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #pause = PAUSE_MS;

  /** @param source where the feed comes from, in words */
  constructor(terminal: Terminal, query: WatchedQuery, source: string) {
    this.#terminal = terminal;
    this.#screen = new Screen(terminal);
    this.#view = new LiveView(query);
    this.#query = query.text;
    this.#source = source;
    terminal.onResize(() => {
      this.#screen.forget();
      this.#drawSoon();
    });
  }

  /** Takes a batch of the feed. */
  readonly take = ({ documents, notes }: Batch): void => {
    const now = performance.now();
    this.#view.note(notes);
    for (const document of documents) {
      this.#view.take(document, now);
      this.#remember();
    }
    this.#drawSoon();
  };

  /** Gives the terminal back, with the last picture left on it. */
  close(): void {
    clearTimeout(this.#timer);
    this.#view.end();
    this.#screen.close(this.#lines(performance.now()));
  }

  #drawSoon(): void {
    this.#timer ??= setTimeout(() => this.#draw(), this.#pause);
  }

  #draw(): void {
    const start = performance.now();
    this.#timer = undefined;
    this.#screen.draw(this.#lines(start));
    this.#pause = Math.max(PAUSE_MS, (performance.now() - start) * PAUSE_OF_COST);
    // The rate goes down, and marks fade, by themselves.
    if (this.#view.isFading(start) || this.#view.rate.perSecond(start) > 0) this.#drawSoon();
  }

  #lines(now: number): readonly string[] {
    const frame = { query: this.#query, source: this.#source, history: this.#history, now };
    const lines = drawing(this.#view, frame, this.#terminal.size());
    return lines.map((line) => painted(line, this.#terminal.hasColours));
  }

  /** The chart of one value shows each that it has been. */
  #remember(): void {
    if (this.#view.shape !== 'value') return;
    const [item] = this.#view.items(0, 1);
    if (typeof item?.value === 'number') this.#history = [...this.#history, item.value].slice(-MOST_HISTORY);
  }
}
