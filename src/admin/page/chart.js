// @ts-check
// A number's course as a small area, the present at its right end.

import { setAttribute } from './dom.js';
import { SPAN_SECONDS } from './history.js';

/** @import { History } from './history.js' */

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 300;
const HEIGHT = 48;
/** The greatest value stands so far below the upper edge. */
const MARGIN = 3;
/** A chart shows no less than this, in seconds. */
const LEAST_SECONDS = 60;

/** A chart. */
export class Chart {
  #area = document.createElementNS(SVG, 'path');
  #line = document.createElementNS(SVG, 'path');
  /** @type {SVGSVGElement} */
  root = document.createElementNS(SVG, 'svg');

  constructor() {
    this.root.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    this.root.setAttribute('preserveAspectRatio', 'none');
    this.root.setAttribute('class', 'chart');
    this.root.setAttribute('role', 'img');
    this.#area.setAttribute('class', 'area');
    this.#line.setAttribute('class', 'line');
    this.root.append(this.#area, this.#line);
  }

  /**
   * @param {History} history
   * @param {string} words what it shows, for those who do not see it
   */
  draw(history, words) {
    const { samples, most } = history;
    const end = samples.at(-1)?.at ?? 0;
    // What is young has a chart as well.
    const span = Math.min(SPAN_SECONDS, Math.max(LEAST_SECONDS, end - (samples[0]?.at ?? end)));
    const scale = most === 0 ? 0 : (HEIGHT - MARGIN) / most;
    const points = samples.map(
      ({ at, value }) =>
        `${round(WIDTH - ((end - at) / span) * WIDTH)} ${round(HEIGHT - 1 - value * scale * ((HEIGHT - 1) / HEIGHT))}`,
    );
    const start = points[0]?.split(' ')[0] ?? String(WIDTH);
    const line = points.length === 0 ? '' : `M${points.join('L')}`;
    setAttribute(this.#line, 'd', line);
    setAttribute(this.#area, 'd', line === '' ? '' : `${line}L${WIDTH} ${HEIGHT}L${start} ${HEIGHT}Z`);
    setAttribute(this.root, 'aria-label', words);
  }
}

/**
 * @param {number} value
 * @returns {number}
 */
function round(value) {
  return Math.round(value * 10) / 10;
}
