// A view as the lines of a terminal.

import { equalDatums } from '../../rewrite/reql/data/compare.ts';
import { type Datum, getField } from '../../rewrite/reql/data/datum.ts';
import { cutTo, visible } from '../terminal/display-width.ts';
import { type Style, type Styled, type StyledLine, styled } from '../terminal/palette.ts';
import { type Cell, type Column, type Row, tableLines } from '../terminal/table.ts';
import type { Size } from '../terminal/terminal.ts';
import { cellText } from './cell-text.ts';
import { columnsOf, type ItemColumn, isRow } from './columns.ts';
import { type Item, LINGER_MS, type LiveView, type Mark, type Phase, type Shape } from './live-view.ts';
import { sparkline } from './sparkline.ts';

/** The frame around the view. */
export interface Frame {
  readonly query: string;
  /** Where the feed comes from. */
  readonly source: string;
  /** Numbers that the value has been, the last one last. */
  readonly history: readonly number[];
  /** Milliseconds, of the clock that items carry. */
  readonly now: number;
}

/** The lines of a view, no more and no wider than the size allows. */
export function drawing(view: LiveView, frame: Frame, { columns, rows }: Size): readonly StyledLine[] {
  const head: readonly StyledLine[] = [
    [styled(cutTo(visible(frame.query), columns), 'title')],
    statusLine(view, frame, columns),
    ...(view.notice === undefined ? [] : [[styled(cutTo(visible(view.notice), columns), 'bad')]]),
    [],
  ];
  const size = { columns, rows: Math.max(1, rows - head.length) };
  const body = view.shape === undefined ? nothingYet(view, size) : BODIES[view.shape](view, frame, size);
  return [...head, ...body].slice(0, rows);
}

const PHASES: { readonly [P in Phase]: Styled } = {
  opening: styled('opening', 'faint'),
  reading: styled('reading', 'faint'),
  live: styled('live', 'good'),
  healing: styled('healing', 'bad'),
  ended: styled('ended', 'faint'),
};

const NOUNS: { readonly [S in Shape]: readonly [one: string, many: string] | undefined } = {
  value: undefined,
  groups: ['group', 'groups'],
  rows: ['row', 'rows'],
  outputs: ['output', 'outputs'],
  documents: undefined,
};

function statusLine(view: LiveView, { source, now }: Frame, columns: number): StyledLine {
  const { rate, shape, size } = view;
  const noun = shape === undefined ? undefined : NOUNS[shape];
  const parts = [
    ...(noun === undefined ? [] : [`${size} ${size === 1 ? noun[0] : noun[1]}`]),
    `${rate.total} ${rate.total === 1 ? 'change' : 'changes'}, ${rate.perSecond(now).toFixed(1)} a second`,
    source,
  ];
  const phase = PHASES[view.phase];
  if (phase.text.length > columns) return [styled(cutTo(phase.text, columns), phase.style)];
  return [phase, styled(cutTo(`  ${parts.join('  ·  ')}`, columns - phase.text.length), 'faint')];
}

function nothingYet({ phase }: LiveView, { columns }: Size): readonly StyledLine[] {
  return phase === 'live' ? [[styled(cutTo('Nothing is there yet.', columns), 'faint')]] : [];
}

type Body = (view: LiveView, frame: Frame, size: Size) => readonly StyledLine[];

const table: Body = (view, { now }, size) => {
  const items = view.items(now, size.rows);
  return grid({ items, total: view.size }, columnsOf(items), now, size);
};

const BODIES: { readonly [S in Shape]: Body } = {
  value(view, frame, size) {
    const [item] = view.items(frame.now, 1);
    return item === undefined ? [] : valueLines(item, frame, size);
  },
  groups: table,
  rows: table,
  outputs: table,
  documents: (view, { now }, { columns, rows }) =>
    view.items(now, rows).map(({ value }) => [styled(cutTo(cellText(value), columns))]),
};

/** A value: the fields of an object and the elements of a list are rows, all else is a line with what it was, and a chart. */
function valueLines(item: Item, frame: Frame, size: Size): readonly StyledLine[] {
  const { value, before } = item;
  if (isRow(value)) return grid(allOf(partsOf(item)), FIELDS, frame.now, size);
  if (Array.isArray(value)) {
    const elements = value.map((each: Datum): Item => ({ value: each, at: item.at }));
    return grid(allOf(elements), columnsOf(elements), frame.now, size);
  }
  const was = before === undefined ? '' : `was ${cellText(before)}${differenceOf(value, before)}`;
  const lines: readonly Styled[] = [
    styled(cutTo(cellText(value), size.columns), isFresh(item, frame.now) ? 'changed' : 'title'),
    styled(cutTo(was, size.columns), 'faint'),
    styled(sparkline(frame.history, Math.min(size.columns, MOST_BARS)), 'good'),
  ];
  return lines.filter(({ text }) => text !== '').map((line) => [line]);
}

const MOST_BARS = 60;

function differenceOf(value: Datum, before: Datum): string {
  if (typeof value !== 'number' || typeof before !== 'number') return '';
  const difference = value - before;
  return `, ${difference < 0 ? '−' : '+'}${Number(Math.abs(difference).toPrecision(12))}`;
}

const FIELDS: readonly ItemColumn[] = [
  { title: 'field', now: ({ group }) => group, before: ({ group }) => group },
  { title: 'value', now: ({ value }) => value, before: ({ before }) => before },
];

/** The fields of an object, each an item that is as fresh as the object if it differs. */
function partsOf({ value, before, at }: Item): readonly Item[] {
  if (!isRow(value)) return [];
  const old = before !== undefined && isRow(before) ? before : undefined;
  return Object.entries(value).map(([field, now]) => {
    const was = old === undefined ? undefined : getField(old, field);
    if (old === undefined || (was !== undefined && equalDatums(was, now))) return { group: field, value: now, at };
    return {
      group: field,
      value: now,
      at,
      ...(was === undefined ? { mark: 'added' } : { before: was, mark: 'changed' }),
    };
  });
}

/** What a column of numbers holds, and null. */
const NUMBERS: ReadonlySet<string> = new Set(['number', 'undefined']);

/** The first of some items, and how many there are. */
interface Items {
  readonly items: readonly Item[];
  readonly total: number;
}

function allOf(items: readonly Item[]): Items {
  return { items, total: items.length };
}

/** A table of items, as many as there is room for. */
function grid({ items, total }: Items, columns: readonly ItemColumn[], now: number, size: Size): readonly StyledLine[] {
  // The titles, and the line that counts what is left out, take one each.
  const room = size.rows - 1;
  const all = Math.max(total, items.length);
  const shown = all <= room ? items : items.slice(0, Math.max(0, room - 1));
  const head = columns.map(({ title, now: of }): Column => {
    const isNumber = shown.every((item) => NUMBERS.has(typeof (of(item) ?? undefined)));
    return { title: visible(title), align: isNumber ? 'right' : 'left' };
  });
  const rows = shown.map(
    (item): Row => ({
      mark: markOf(item, now),
      cells: columns.map((column): Cell => ({ text: cellText(column.now(item)), style: styleOf(item, column, now) })),
    }),
  );
  const left = all - shown.length;
  const more: readonly StyledLine[] = left === 0 ? [] : [[styled(`  … ${left} more`, 'faint')]];
  return [...tableLines(head, rows, size.columns), ...more];
}

const MARKS: { readonly [M in Mark]: Styled } = {
  added: styled('+', 'added'),
  changed: styled('~', 'changed'),
  removed: styled('-', 'bad'),
};

function markOf(item: Item, now: number): Styled {
  return item.mark !== undefined && isFresh(item, now) ? MARKS[item.mark] : styled(' ');
}

function styleOf(item: Item, column: ItemColumn, now: number): Style {
  if (item.mark === undefined || !isFresh(item, now)) return 'plain';
  if (item.mark !== 'changed') return item.mark;
  const [was, is] = [column.before(item), column.now(item)];
  const isSame = was === undefined || is === undefined ? was === is : equalDatums(was, is);
  return isSame ? 'plain' : 'changed';
}

function isFresh({ mark, at }: Item, now: number): boolean {
  return mark !== undefined && now - at < LINGER_MS;
}
