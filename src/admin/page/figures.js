// @ts-check
// The figures at the top: each a number as it is now, and its course over the last minutes.

import { Chart } from './chart.js';
import { element, setText } from './dom.js';
import { bytes, count, counted, load, rate } from './format.js';
import { Growth, History } from './history.js';

/** @import { Status, Totals } from '../status.ts' */

/**
 * @typedef {object} Figure
 * @property {string} title
 * @property {(totals: Totals) => number} value
 * @property {boolean} [grows] whether its growth a second is what counts
 * @property {(value: number) => string} print
 * @property {(totals: Totals) => string} more
 */

/** @type {readonly Figure[]} */
const FIGURES = [
  {
    title: 'Clients',
    value: ({ clients }) => clients,
    print: count,
    more: ({ subscribers }) => counted(subscribers, 'live query', 'live queries'),
  },
  {
    title: 'Feeds',
    value: ({ feeds }) => feeds,
    print: count,
    more: (totals) => {
      const { feeds, healing } = totals;
      const words = [...(healing > 0 ? [`${count(healing)} healing`] : []), `${load(totals.load)} CPU`];
      return feeds === 0 ? 'none open' : words.join(', ');
    },
  },
  {
    title: 'Documents/s',
    value: ({ documents }) => documents,
    grows: true,
    print: rate,
    more: ({ documents }) => `${count(documents)} to clients`,
  },
  {
    title: 'Changes read/s',
    value: ({ changesRead }) => changesRead,
    grows: true,
    print: rate,
    more: ({ changesRead }) => `${count(changesRead)} in all`,
  },
  {
    title: 'Queries passed/s',
    value: ({ queriesPassed }) => queriesPassed,
    grows: true,
    print: rate,
    more: ({ queriesPassed }) => `${count(queriesPassed)} untouched`,
  },
  {
    title: 'To clients/s',
    value: ({ bytesToClients }) => bytesToClients,
    grows: true,
    print: bytes,
    more: ({ bytesFromClients }) => `${bytes(bytesFromClients)} from them`,
  },
  {
    title: 'State',
    value: ({ stateBytes }) => stateBytes,
    print: bytes,
    more: ({ stateRows }) => counted(stateRows, 'row'),
  },
  {
    title: 'Waiting for clients',
    value: ({ waitingBytes }) => waitingBytes,
    print: bytes,
    more: () => 'not asked for yet',
  },
];

/** A figure on the page. */
class DrawnFigure {
  #figure;
  #history = new History();
  #growth = new Growth();
  #chart = new Chart();
  #value = element('p', { class: 'value' });
  #more = element('p', { class: 'more-text' });

  /** @param {Figure} figure */
  constructor(figure) {
    this.#figure = figure;
    this.root = element('div', { class: 'figure' }, element('h2', {}, figure.title), this.#value, this.#more);
    this.root.append(this.#chart.root);
  }

  /**
   * @param {number} at seconds
   * @param {Totals} totals
   */
  take(at, totals) {
    const { value, grows = false } = this.#figure;
    const now = value(totals);
    const shown = grows ? this.#growth.next(at, now) : now;
    if (shown !== undefined) this.#history.add(at, shown);
  }

  /** @param {Totals} totals */
  draw(totals) {
    const { print, more, title } = this.#figure;
    const now = print(this.#history.last);
    setText(this.#value, now);
    setText(this.#more, more(totals));
    this.#chart.draw(
      this.#history,
      `${title}: ${now} now, ${print(this.#history.most)} at most in the last five minutes`,
    );
  }
}

/** All figures. */
export class Figures {
  #drawn = FIGURES.map((figure) => new DrawnFigure(figure));

  /** @param {HTMLElement} root */
  constructor(root) {
    root.append(...this.#drawn.map((figure) => figure.root));
  }

  /** @param {Status} status */
  take({ at, totals }) {
    for (const figure of this.#drawn) figure.take(Date.parse(at) / 1000, totals);
  }

  /** @param {Status} status */
  draw({ totals }) {
    for (const figure of this.#drawn) figure.draw(totals);
  }
}
