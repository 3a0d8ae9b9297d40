// Tables in columns of a terminal: as wide as what is in them, and narrower where it would not fit.

import { cutTo, displayWidth } from './display-width.ts';
import { type Style, type Styled, type StyledLine, styled } from './palette.ts';

/** A column. */
export interface Column {
  readonly title: string;
  /** Numbers stand at the right. */
  readonly align: 'left' | 'right';
}

/** A cell: what is in it, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** A row; `mark` stands before it, in a column of its own. */
export interface Row {
  readonly cells: readonly Cell[];
  readonly mark?: Styled;
}

const GAP = '  ';
/** A column that is cut is no narrower than this, and the last ones are left out. */
const NARROWEST = 6;

/** The lines of a table, its titles first; none is wider than `columns`. */
export function tableLines(head: readonly Column[], rows: readonly Row[], columns: number): readonly StyledLine[] {
  const hasMarks = rows.some(({ mark }) => mark !== undefined);
  const widths = fitting(naturalWidths(head, rows), columns - (hasMarks ? 2 : 0));
  const shown = head.slice(0, widths.length);
  const indent: StyledLine = hasMarks ? [styled('  ')] : [];
  const titles = shown.map(({ title, align }, at) => styled(padded(title, widths[at] ?? 0, align), 'faint'));
  return [
    [...indent, ...spaced(titles)],
    ...rows.map(({ cells, mark }): StyledLine => {
      const drawn = shown.map(({ align }, at) => {
        const cell = cells[at] ?? { text: '' };
        return styled(padded(cell.text, widths[at] ?? 0, align), cell.style);
      });
      return hasMarks ? [mark ?? styled(' '), styled(' '), ...spaced(drawn)] : spaced(drawn);
    }),
  ];
}

function naturalWidths(head: readonly Column[], rows: readonly Row[]): readonly number[] {
  return head.map(({ title }, at) =>
    rows.reduce((most, { cells }) => Math.max(most, displayWidth(cells[at]?.text ?? '')), displayWidth(title)),
  );
}

/** The widths that fit: the widest columns are cut first, and those at the end left out where that is not enough. */
function fitting(natural: readonly number[], columns: number): readonly number[] {
  const kept = natural.slice(0, Math.max(1, Math.floor((columns + GAP.length) / (NARROWEST + GAP.length))));
  const room = columns - GAP.length * (kept.length - 1);
  const total = kept.reduce((sum, width) => sum + width, 0);
  if (total <= room) return kept;
  // The most that a column may have so that all fit: those that need less keep what they have.
  const ascending = [...kept].sort((a, b) => a - b);
  let left = room;
  let most = room;
  for (const [at, width] of ascending.entries()) {
    most = Math.floor(left / (ascending.length - at));
    if (width > most) break;
    left -= width;
  }
  return kept.map((width) => Math.max(1, Math.min(width, most)));
}

function padded(text: string, width: number, align: Column['align']): string {
  const cut = cutTo(text, width);
  const padding = ' '.repeat(Math.max(0, width - displayWidth(cut)));
  return align === 'right' ? padding + cut : cut + padding;
}

function spaced(cells: StyledLine): StyledLine {
  return cells.flatMap((cell, at) => (at === 0 ? [cell] : [styled(GAP), cell]));
}
