// @ts-check
// A table that follows its rows: sorted by any column, filtered, and changed only where a row has changed.

import { element, setAttribute, setText } from './dom.js';
import { count } from './format.js';

/** Rows that are drawn before somebody asks for more. */
const PORTION = 200;

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {(row: Row) => number | string} value what rows are sorted by
 * @property {(row: Row) => string} [text] what is in the cell, where that is a text
 * @property {(cell: HTMLElement, row: Row) => void} [draw] draws the cell, where it is more
 * @property {'main' | 'number' | 'text'} kind
 */

/**
 * @template Row
 * @typedef {object} TableSettings
 * @property {string} title
 * @property {readonly Column<Row>[]} columns
 * @property {string} sortedBy the key of the column that rows are sorted by at first
 * @property {string} empty what stands there where there are no rows
 * @property {(row: Row) => string} words what a filter looks into
 * @property {(id: string) => void} [open] shows one row
 */

/**
 * @typedef {object} DrawnRow
 * @property {HTMLTableRowElement} line
 * @property {readonly HTMLTableCellElement[]} cells
 */

/** @template {{ readonly id: string }} Row */
export class Table {
  /** @type {TableSettings<Row>} */
  #settings;
  /** @type {Map<string, DrawnRow>} */
  #drawn = new Map();
  #body = element('tbody', { role: 'rowgroup' });
  /** @type {Map<string, HTMLTableCellElement>} */
  #heads = new Map();
  #nothing = element('p', { class: 'nothing' });
  #more = element('button', { type: 'button', class: 'more' });
  /** @type {readonly Row[]} */
  #rows = [];
  #filter = '';
  #most = PORTION;
  #key;
  #isDescending;
  #found = 0;
  /** Called when a person has chosen another order. */
  onSort = () => {};

  /** @param {TableSettings<Row>} settings */
  constructor(settings) {
    this.#settings = settings;
    this.#key = settings.sortedBy;
    this.#isDescending = this.#isNumber(settings.sortedBy);
    const heads = settings.columns.map(({ key, title, kind }) => {
      const button = element('button', { type: 'button' }, title);
      button.addEventListener('click', () => this.sortBy(key));
      const head = element('th', { role: 'columnheader', scope: 'col', class: kind }, button);
      this.#heads.set(key, head);
      return head;
    });
    this.#more.addEventListener('click', () => {
      this.#most += PORTION;
      this.#draw();
    });
    this.#body.addEventListener('click', (event) => this.#clicked(event));
    this.root = element(
      'div',
      { class: 'table' },
      element(
        'table',
        { role: 'table' },
        element('caption', { class: 'hidden' }, settings.title),
        element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads)),
        this.#body,
      ),
      this.#nothing,
      this.#more,
    );
    this.#markHeads();
  }

  /** @returns {readonly { readonly key: string, readonly title: string }[]} */
  get columns() {
    return this.#settings.columns;
  }

  /** @returns {string} the key of the column that rows are sorted by */
  get sortedBy() {
    return this.#key;
  }

  /** @param {readonly Row[]} rows */
  update(rows) {
    this.#rows = rows;
    this.#draw();
  }

  /** @param {string} text */
  filter(text) {
    this.#filter = text.trim().toLowerCase();
    this.#most = PORTION;
    this.#draw();
  }

  /**
   * Sorts by a column; by the same one, the other way round.
   * @param {string} key
   */
  sortBy(key) {
    this.#isDescending = key === this.#key ? !this.#isDescending : this.#isNumber(key);
    this.#key = key;
    this.#markHeads();
    this.#draw();
    this.onSort();
  }

  /** @param {string} key */
  #isNumber(key) {
    return this.#settings.columns.find((column) => column.key === key)?.kind === 'number';
  }

  #markHeads() {
    for (const [key, head] of this.#heads) {
      const order = this.#isDescending ? 'descending' : 'ascending';
      setAttribute(head, 'aria-sort', key === this.#key ? order : undefined);
    }
  }

  #draw() {
    const rows = this.#sorted();
    this.#found = rows.length;
    const shown = rows.slice(0, this.#most);
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, { line }] of this.#drawn) {
      if (ids.has(id)) continue;
      line.remove();
      this.#drawn.delete(id);
    }
    /** @type {Element | null} */
    let next = this.#body.firstElementChild;
    for (const row of shown) {
      const { line } = this.#drawRow(row);
      // A row that is moved would lose the focus: only those that stand wrong are.
      if (line === next) next = line.nextElementSibling;
      else this.#body.insertBefore(line, next);
    }
    setText(
      this.#nothing,
      this.#filter === '' || this.#rows.length === 0 ? this.#settings.empty : 'Nothing matches the filter.',
    );
    this.#nothing.hidden = shown.length > 0;
    this.#more.hidden = this.#found <= shown.length;
    setText(this.#more, `Show more: these are ${count(shown.length)} of ${count(this.#found)}`);
  }

  /** @returns {readonly Row[]} */
  #sorted() {
    const column = this.#settings.columns.find(({ key }) => key === this.#key);
    const filtered =
      this.#filter === ''
        ? [...this.#rows]
        : this.#rows.filter((row) => this.#settings.words(row).toLowerCase().includes(this.#filter));
    if (column === undefined) return filtered;
    const sign = this.#isDescending ? -1 : 1;
    return filtered
      .map((row) => ({ row, value: column.value(row) }))
      .sort((a, b) => sign * compare(a.value, b.value) || compare(a.row.id, b.row.id))
      .map(({ row }) => row);
  }

  /** @param {Row} row */
  #drawRow(row) {
    const drawn = this.#drawn.get(row.id) ?? this.#newRow(row);
    for (const [at, { text, draw }] of this.#settings.columns.entries()) {
      const cell = drawn.cells[at];
      if (cell === undefined) continue;
      if (text !== undefined) setText(cell, text(row));
      draw?.(cell, row);
    }
    return drawn;
  }

  /**
   * @param {Row} row
   * @returns {DrawnRow}
   */
  #newRow({ id }) {
    const cells = this.#settings.columns.map(({ kind, title }) =>
      element('td', { role: 'cell', class: kind, 'data-title': title }),
    );
    const line = element('tr', { role: 'row', 'data-id': id }, ...cells);
    const drawn = { line, cells };
    this.#drawn.set(id, drawn);
    return drawn;
  }

  /** @param {Event} event */
  #clicked({ target }) {
    const { open } = this.#settings;
    if (open === undefined || !(target instanceof Element) || target.closest('.act') !== null) return;
    // Somebody who marks a text to copy it wants no more.
    if (document.getSelection()?.isCollapsed === false) return;
    const id = target.closest('tr')?.dataset['id'];
    if (id !== undefined) open(id);
  }
}

/**
 * @param {number | string} a
 * @param {number | string} b
 */
function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
