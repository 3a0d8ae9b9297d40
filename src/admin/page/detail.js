// @ts-check
// One feed in all that is known of it.

import { Chart } from './chart.js';
import { element, setText } from './dom.js';
import { bytes, count, counted, delay, duration, load, rate, secondsBetween, worked } from './format.js';
import { History } from './history.js';
import { badgesOf } from './lists.js';

/** @import { FeedDetail, FeedStatus, Status } from '../status.ts' */

/** How often what only the feed's own document tells is asked for, in milliseconds. */
const EVERY_MS = 2000;
/** Followers that are listed. */
const MOST_FOLLOWERS = 100;

/** The dialog that shows a feed. */
export class Detail {
  #dialog;
  #rateOf;
  #end;
  /** @type {string | undefined} */
  #id;
  /** @type {FeedDetail | undefined} */
  #known;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #isListed = false;
  #history = new History();
  #chart = new Chart();
  #query = element('code', { class: 'whole' });
  #badges = element('p', { class: 'words' });
  #facts = element('dl', { class: 'facts' });
  #explanation = element('div', { class: 'explanation' });
  #followers = element('tbody');
  #followersTitle = element('h3');
  #gone = element('p', { class: 'trouble', hidden: true });
  #endButton = element('button', { type: 'button', class: 'danger', hidden: true }, 'End this feed');

  /**
   * @param {HTMLDialogElement} dialog
   * @param {(id: string) => number} rateOf documents a second of a feed
   * @param {(id: string) => void} end asks whether to end a feed, and does
   */
  constructor(dialog, rateOf, end) {
    this.#dialog = dialog;
    this.#rateOf = rateOf;
    this.#end = end;
    const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×');
    close.addEventListener('click', () => dialog.close());
    const copy = element('button', { type: 'button' }, 'Copy the query');
    copy.addEventListener('click', () => void navigator.clipboard?.writeText(this.#query.textContent ?? ''));
    this.#endButton.addEventListener('click', () => {
      if (this.#id !== undefined) this.#end(this.#id);
    });
    dialog.append(
      element('header', {}, element('h2', { id: 'detail-title' }, 'Feed'), close),
      this.#gone,
      this.#query,
      this.#badges,
      element('div', { class: 'acts' }, copy, this.#endButton),
      element('h3', {}, 'Documents a second'),
      this.#chart.root,
      this.#facts,
      element('h3', {}, 'What becomes of the query'),
      this.#explanation,
      this.#followersTitle,
      element(
        'table',
        { class: 'followers' },
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            ...['Client', 'Token', 'Documents', 'Waiting', 'Age'].map((title) =>
              element('th', { scope: 'col' }, title),
            ),
          ),
        ),
        this.#followers,
      ),
    );
    dialog.addEventListener('close', () => this.#closed());
    // The dialog fills its box: a click on the dialog itself is outside of all that is in it.
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog) dialog.close();
    });
  }

  /** Called when it is closed. */
  onClose = () => {};

  /**
   * Shows a feed.
   * @param {string} id
   */
  open(id) {
    if (id === this.#id) return;
    this.#id = id;
    this.#known = undefined;
    this.#history = new History();
    this.#explanation.replaceChildren();
    this.#followers.replaceChildren();
    this.#gone.hidden = true;
    if (!this.#dialog.open) this.#dialog.showModal();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#ask(), EVERY_MS);
    void this.#ask();
  }

  /** Closes it, if it is open. */
  close() {
    if (this.#dialog.open) this.#dialog.close();
  }

  /**
   * Takes the status, whether or not it is drawn.
   * @param {Status} status
   */
  take({ at }) {
    if (this.#id !== undefined) this.#history.add(Date.parse(at) / 1000, this.#rateOf(this.#id));
  }

  /** @param {Status} status */
  draw({ feeds, at, canEnd }) {
    if (this.#id === undefined) return;
    const listed = feeds.find(({ id }) => id === this.#id);
    this.#isListed = listed !== undefined;
    const feed = listed ?? this.#known?.feed;
    if (feed === undefined) return;
    // One whose documents pass unread belongs to a connection alone, which can be ended.
    this.#endButton.hidden = !canEnd || !this.#isListed || feed.documents === null;
    setText(this.#query, feed.query);
    this.#badges.replaceChildren(...badgesOf(feed).map(({ text, look }) => element('span', { class: look }, text)));
    this.#chart.draw(this.#history, `Documents a second: ${rate(this.#history.last)} now`);
    this.#facts.replaceChildren(
      ...factsOf(feed, this.#history.last, at).flatMap(([term, text]) => [
        element('dt', {}, term),
        element('dd', {}, text),
      ]),
    );
    this.#drawFollowers(at);
  }

  async #ask() {
    const id = this.#id;
    if (id === undefined) return;
    const answer = await fetch(`api/feeds/${id}`).catch(() => undefined);
    if (id !== this.#id || answer === undefined) return;
    if (answer.status === 404) {
      clearInterval(this.#timer);
      if (this.#isListed) this.#explain(['Nothing more is known of it.']);
      else this.#over();
      return;
    }
    if (!answer.ok) return;
    this.#known = await answer.json();
    this.#explain(this.#known?.explanation ?? []);
  }

  /**
   * A paragraph for each sentence, and ReQL, which is indented, as it is.
   * @param {readonly string[]} lines
   */
  #explain(lines) {
    const text = lines.join('\n');
    if (this.#explanation.dataset['text'] === text) return;
    this.#explanation.dataset['text'] = text;
    const asked = lines.filter((line) => line.startsWith('  ')).map((line) => line.slice(2));
    this.#explanation.replaceChildren(
      ...lines.filter((line) => !line.startsWith('  ')).map((line) => sentence(line)),
      ...(asked.length === 0 ? [] : [element('pre', { tabindex: '0' }, asked.join('\n'))]),
    );
  }

  #over() {
    this.#gone.hidden = false;
    setText(this.#gone, 'This feed is over. What is shown here is the last of it.');
    this.#endButton.hidden = true;
  }

  /** @param {string} at */
  #drawFollowers(at) {
    const subscribers = this.#known?.subscribers ?? [];
    setText(this.#followersTitle, `Followed by ${counted(subscribers.length, 'live query', 'live queries')}`);
    this.#followers.replaceChildren(
      ...subscribers
        .slice(0, MOST_FOLLOWERS)
        .map(({ client, address, token, documents, waitingBytes, openedAt }) =>
          element(
            'tr',
            {},
            ...[
              `${address} (${client})`,
              token,
              documents === null ? '–' : count(documents),
              bytes(waitingBytes),
              duration(secondsBetween(openedAt, at)),
            ].map((text) => element('td', {}, text)),
          ),
        ),
    );
  }

  #closed() {
    this.#id = undefined;
    clearInterval(this.#timer);
    this.onClose();
  }
}

/**
 * A sentence that may begin with what it is about.
 * @param {string} line
 */
function sentence(line) {
  const [, about, rest] = /^((?:[A-Z][A-Za-z ]{2,24}|Join \d+|Reads of [^:]{1,99})): (.+)$/s.exec(line) ?? [];
  return about === undefined ? element('p', {}, line) : element('p', {}, element('b', {}, about), ` ${rest}`);
}

/**
 * @param {FeedStatus} feed
 * @param {number} perSecond documents
 * @param {string} at
 * @returns {readonly (readonly [term: string, text: string])[]}
 */
function factsOf(feed, perSecond, at) {
  const { stateRows, stateBytes, waitingBytes, documents, changesRead, lastHealing } = feed;
  return [
    ['Followers', count(feed.subscribers)],
    ['State', `${counted(stateRows, 'row')}, ${bytes(stateBytes)}`],
    ['Waiting for clients', bytes(waitingBytes)],
    ['Documents', documents === null ? 'they pass unread' : `${count(documents)}, ${rate(perSecond)} a second`],
    ['Changes read', changesRead === null ? 'they pass unread' : count(changesRead)],
    ['Work', `${worked(feed.workSeconds)} in all, ${load(feed.load)} of a core now`],
    [
      'Behind RethinkDB',
      feed.isHealing ? `healing for ${delay(feed.frontierAgeSeconds)}` : delay(feed.frontierAgeSeconds),
    ],
    [
      'Last change shown',
      feed.lastChangeAt === null
        ? 'none since it was opened'
        : `${duration(secondsBetween(feed.lastChangeAt, at))} ago`,
    ],
    [
      'Last healing',
      lastHealing === null
        ? 'never'
        : `${duration(secondsBetween(lastHealing.at, at))} ago, in ${lastHealing.ms} ms: ${lastHealing.reason}`,
    ],
    ['Open for', duration(secondsBetween(feed.openedAt, at))],
    ['Id', feed.id],
  ];
}
