// @ts-check
// The servers behind the proxy.

import { element } from './dom.js';
import { counted, duration, secondsBetween } from './format.js';

/** @import { Status, UpstreamStatus } from '../status.ts' */

/** Draws the servers anew where they are not as they were. */
export class Upstreams {
  #root;
  #drawn = '';

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
  }

  /** @param {Status} status */
  draw({ upstreams, at }) {
    const lines = upstreams.map((upstream) => ({ upstream, words: wordsOf(upstream, at) }));
    const drawn = JSON.stringify(lines);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#root.replaceChildren(...lines.map(({ upstream, words }) => card(upstream, words)));
  }
}

/** @param {UpstreamStatus} upstream */
function stateOf({ isUp }) {
  if (isUp === null) return { word: 'not asked yet', look: 'unknown' };
  return isUp ? { word: 'up', look: 'good' } : { word: 'down', look: 'bad' };
}

/**
 * @param {UpstreamStatus} upstream
 * @param {string} at
 */
function wordsOf({ version, clients, since, problem, failures }, at) {
  return [
    ...(version === null ? [] : [`RethinkDB ${version}`]),
    counted(clients, 'client'),
    ...(since === null ? [] : [`for ${duration(secondsBetween(since, at))}`]),
    ...(problem === null ? [] : [problem, `${counted(failures, 'try', 'tries')} in vain`]),
  ].join(' · ');
}

/**
 * @param {UpstreamStatus} upstream
 * @param {string} words
 */
function card(upstream, words) {
  const { word, look } = stateOf(upstream);
  return element(
    'div',
    { class: 'upstream' },
    element('h2', {}, upstream.address),
    element('span', { class: `chip ${look}` }, word),
    element('p', {}, words),
  );
}
