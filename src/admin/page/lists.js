// @ts-check
// The lists of feeds, clients and workers, one of which is shown at a time.

import { byId, element, setAttribute, setText } from './dom.js';
import { bytes, count, delay, duration, load, rate, secondsBetween } from './format.js';
import { Rates } from './history.js';
import { Table } from './table.js';

/** @import { ClientStatus, FeedStatus, Status, WorkerStatus } from '../status.ts' */

/**
 * @typedef {object} Acts
 * @property {(id: string) => void} openFeed shows a feed
 * @property {(client: ClientStatus) => void} endClient asks whether to end a client's connection, and does
 */

/** What a list shows: its name in the address of the page, and on its tab. */
const NAMES = { feeds: 'Feeds', clients: 'Clients', workers: 'Workers' };

/** @typedef {keyof typeof NAMES} Name */

/** @type {readonly Name[]} */
const ORDER = ['feeds', 'clients', 'workers'];

/** @param {string} text @returns {text is Name} */
const isName = (text) => Object.hasOwn(NAMES, text);

/** The lists. */
export class Lists {
  #rates = new Rates();
  #at = '';
  /** @type {Status | undefined} */
  #status;
  #canEnd = false;
  #tables;
  /** @type {Map<Name, { tab: HTMLButtonElement, panel: HTMLElement, count: HTMLElement }>} */
  #parts = new Map();
  /** @type {Name} */
  #shown = 'feeds';

  /** @param {Acts} acts */
  constructor(acts) {
    this.#tables = {
      feeds: this.#feeds(acts),
      clients: this.#clients(acts),
      workers: this.#workers(),
    };
    const tabs = byId('tabs');
    for (const name of ORDER) {
      const badge = element('span', { class: 'count' });
      const tab = element(
        'button',
        { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}` },
        NAMES[name],
        ' ',
        badge,
      );
      const panel = element(
        'div',
        { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}` },
        this.#tables[name].root,
      );
      tab.addEventListener('click', () => this.show(name));
      tabs.append(tab);
      byId('panels').append(panel);
      this.#parts.set(name, { tab, panel, count: badge });
      this.#tables[name].onSort = () => this.#drawSorting();
    }
    tabs.addEventListener('keydown', (event) => this.#moved(event));
    const filter = byId('filter');
    filter.addEventListener('input', () => {
      if (filter instanceof HTMLInputElement) for (const name of ORDER) this.#tables[name].filter(filter.value);
    });
    const sorting = byId('sorting');
    sorting.addEventListener('change', () => {
      if (sorting instanceof HTMLSelectElement) this.#tables[this.#shown].sortBy(sorting.value);
    });
    this.show('feeds');
  }

  /** @param {string} name of a list; others are left alone */
  show(name) {
    if (!isName(name)) return;
    this.#shown = name;
    for (const [each, { tab, panel }] of this.#parts) {
      setAttribute(tab, 'aria-selected', String(each === name));
      setAttribute(tab, 'tabindex', each === name ? '0' : '-1');
      panel.hidden = each !== name;
    }
    this.#drawSorting();
    this.#drawShown();
  }

  /**
   * Takes the counters of a status, whether or not it is drawn.
   * @param {Status} status
   */
  take({ at, feeds }) {
    this.#rates.take(
      Date.parse(at) / 1000,
      feeds.map(({ id, documents }) => /** @type {const} */ ([id, documents ?? 0])),
    );
  }

  /**
   * @param {Status} status
   * @param {boolean} canEnd whether clients can be ended
   */
  draw(status, canEnd) {
    this.#at = status.at;
    this.#canEnd = canEnd;
    this.#status = status;
    this.#drawShown();
    const counts = { feeds: status.totals.feeds, clients: status.totals.clients, workers: status.workers.length };
    for (const [name, part] of this.#parts) setText(part.count, count(counts[name]));
  }

  /** Draws the list that is seen: the others are drawn when they are. */
  #drawShown() {
    if (this.#status === undefined) return;
    const { feeds, clients, workers } = this.#status;
    if (this.#shown === 'feeds') this.#tables.feeds.update(feeds);
    if (this.#shown === 'clients') this.#tables.clients.update(clients);
    if (this.#shown === 'workers') {
      this.#tables.workers.update(workers.map((worker) => ({ ...worker, id: String(worker.id) })));
    }
  }

  /** @param {string} id of a feed */
  rateOf(id) {
    return this.#rates.of(id);
  }

  #drawSorting() {
    const { columns, sortedBy } = this.#tables[this.#shown];
    byId('sorting').replaceChildren(
      ...columns.map(({ key, title }) => element('option', { value: key, selected: key === sortedBy }, title)),
    );
  }

  /** @param {KeyboardEvent} event */
  #moved(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const next = ORDER[(ORDER.indexOf(this.#shown) + step + ORDER.length) % ORDER.length] ?? this.#shown;
    this.show(next);
    this.#parts.get(next)?.tab.focus();
    event.preventDefault();
  }

  /**
   * @param {Acts} acts
   * @returns {Table<FeedStatus>}
   */
  #feeds({ openFeed }) {
    return new Table({
      title: NAMES.feeds,
      sortedBy: 'state',
      empty:
        'No live query is open. One that RethinkDB cannot watch by itself, r.table("orders").count().changes() say, shows up here.',
      words: ({ query, user, plan, privateBecause, id }) => [query, user, plan, privateBecause, id].join(' '),
      open: openFeed,
      columns: [
        { key: 'query', title: 'Query', kind: 'main', value: ({ query }) => query, draw: drawQuery },
        number('followers', 'Followers', ({ subscribers }) => subscribers, count),
        number('rate', 'Documents/s', ({ id }) => this.#rates.of(id), rate),
        number(
          'documents',
          'Documents',
          ({ documents }) => documents ?? -1,
          (value) => (value < 0 ? '–' : count(value)),
        ),
        number('cpu', 'CPU', (feed) => feed.load, load),
        number('rows', 'Rows kept', ({ stateRows }) => stateRows, count),
        number('state', 'State', ({ stateBytes, waitingBytes }) => stateBytes + waitingBytes, bytes),
        number('behind', 'Behind', ({ frontierAgeSeconds }) => frontierAgeSeconds, delay),
        number('age', 'Age', ({ openedAt }) => secondsBetween(openedAt, this.#at), duration),
      ],
    });
  }

  /**
   * @param {Acts} acts
   * @returns {Table<ClientStatus>}
   */
  #clients({ endClient }) {
    return new Table({
      title: NAMES.clients,
      sortedBy: 'feeds',
      empty: 'No client is connected.',
      words: ({ address, user, protocol, upstream, id }) => [address, user, protocol, upstream, id].join(' '),
      columns: [
        {
          key: 'address',
          title: 'Client',
          kind: 'main',
          value: ({ address }) => address,
          draw: (cell, client) => this.#drawClient(cell, client, endClient),
        },
        number('feeds', 'Feeds', ({ feeds }) => feeds, count),
        number('waiting', 'Waiting', ({ waitingBytes }) => waitingBytes, bytes),
        number('read', 'Sent', ({ bytesRead }) => bytesRead, bytes),
        number('written', 'Received', ({ bytesWritten }) => bytesWritten, bytes),
        {
          key: 'upstream',
          title: 'Server',
          kind: 'text',
          value: ({ upstream }) => upstream ?? '',
          text: ({ upstream }) => upstream ?? '–',
        },
        number('age', 'Age', ({ connectedAt }) => secondsBetween(connectedAt, this.#at), duration),
      ],
    });
  }

  /** @returns {Table<Omit<WorkerStatus, 'id'> & { readonly id: string }>} */
  #workers() {
    return new Table({
      title: NAMES.workers,
      sortedBy: 'worker',
      empty: 'No process serves clients.',
      words: ({ id, pid }) => `${id} ${pid}`,
      columns: [
        {
          key: 'worker',
          title: 'Worker',
          kind: 'main',
          value: ({ id }) => Number(id),
          text: ({ id, pid, isStopping }) =>
            `${id === '0' ? 'This process' : `Worker ${id}`}, pid ${pid}${isStopping ? ', stopping' : ''}`,
        },
        number('clients', 'Clients', ({ clients }) => clients, count),
        number('feeds', 'Feeds', ({ feeds }) => feeds, count),
        number('kept', 'Kept', ({ keptBytes }) => keptBytes, bytes),
        number('most', 'At most', ({ maxMemoryBytes }) => maxMemoryBytes, bytes),
        number('heap', 'Heap', ({ heapBytes }) => heapBytes, bytes),
        number('heap-most', 'Heap limit', ({ heapLimitBytes }) => heapLimitBytes, bytes),
        number('resident', 'Memory', ({ residentBytes }) => residentBytes, bytes),
        number('age', 'Age', ({ startedAt }) => secondsBetween(startedAt, this.#at), duration),
      ],
    });
  }

  /**
   * @param {HTMLElement} cell
   * @param {ClientStatus} client
   * @param {(client: ClientStatus) => void} endClient
   */
  #drawClient(cell, client, endClient) {
    const { address, user, protocol, id } = client;
    const words = [user ?? 'not let in yet', protocol ?? '', `connection ${id}`]
      .filter((word) => word !== '')
      .join(' · ');
    const key = `${address}${words}${this.#canEnd}`;
    if (cell.dataset['key'] === key) return;
    cell.dataset['key'] = key;
    const end = element('button', { type: 'button', class: 'act danger', 'aria-label': `End ${address}` }, 'End');
    end.addEventListener('click', () => endClient(client));
    cell.replaceChildren(
      element('span', { class: 'query' }, address),
      element('span', { class: 'words' }, words),
      ...(this.#canEnd ? [end] : []),
    );
  }
}

/**
 * @template Row
 * @param {string} key
 * @param {string} title
 * @param {(row: Row) => number} value
 * @param {(value: number) => string} print
 * @returns {import('./table.js').Column<Row>}
 */
function number(key, title, value, print) {
  return { key, title, kind: 'number', value, text: (row) => print(value(row)) };
}

/**
 * @param {HTMLElement} cell
 * @param {FeedStatus} feed
 */
function drawQuery(cell, feed) {
  const badges = badgesOf(feed);
  const key = JSON.stringify([feed.query, badges]);
  if (cell.dataset['key'] === key) return;
  cell.dataset['key'] = key;
  const open = cell.querySelector('button') ?? element('button', { type: 'button', class: 'query' });
  setText(open, feed.query);
  const words = element(
    'span',
    { class: 'words' },
    ...badges.map(({ text, look }) => element('span', { class: look }, text)),
  );
  if (cell.firstElementChild === open) cell.lastElementChild?.replaceWith(words);
  else cell.replaceChildren(open, words);
}

/** @param {FeedStatus} feed */
export function badgesOf({ plan, user, privateBecause, isHealing, lastHealing }) {
  return [
    { text: plan, look: `plan ${plan}` },
    ...(user === null ? [] : [{ text: user, look: 'word' }]),
    ...(privateBecause === null ? [] : [{ text: `private: ${privateBecause}`, look: 'word private' }]),
    ...(isHealing ? [{ text: 'healing', look: 'chip bad' }] : []),
    ...(lastHealing === null || isHealing ? [] : [{ text: 'has healed', look: 'word' }]),
  ];
}
