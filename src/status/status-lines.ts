// A status document as tables for a terminal.

import { bytes, count, counted, delay, duration, load, worked } from '../admin/page/format.js';
import type { ClientStatus, FeedStatus, Status, UpstreamStatus, WorkerStatus } from '../admin/status.ts';
import { displayWidth, visible, wrap } from '../terminal/display-width.ts';
import { type Style, type StyledLine, styled } from '../terminal/palette.ts';
import { type Cell, type Column, tableLines } from '../terminal/table.ts';

/** What is in a column of a list. */
interface Listed<Row> extends Column {
  readonly cell: (row: Row) => string | Cell;
  /** Whether it is a text of any length, which goes below its row where the table is too wide. */
  readonly isLong?: boolean;
}

/** The lines of a status, none of them wider than `columns`. */
export function statusLines(status: Status, columns: number): readonly StyledLine[] {
  const { upstreams, workers, feeds, clients } = status;
  return [
    headline(status),
    ...listOf(upstreams, upstreamColumns(status), columns),
    ...listOf(workers, WORKERS, columns),
    ...listOf(feeds, FEEDS, columns),
    ...listOf(clients, CLIENTS, columns),
  ];
}

function headline({ version, readiness, totals, startedAt, at }: Status): StyledLine {
  const { clients, feeds, subscribers, stateBytes, stateRows } = totals;
  const words = [
    `for ${duration(secondsFrom(startedAt, at))}`,
    counted(clients, 'client'),
    `${counted(feeds, 'feed')} for ${counted(subscribers, 'live query', 'live queries')}`,
    `state ${bytes(stateBytes)} in ${counted(stateRows, 'row')}`,
  ];
  return [
    styled(`livefold ${version}`, 'title'),
    styled('  '),
    readiness.ready ? styled('ready', 'good') : styled(`not ready: ${visible(readiness.reason)}`, 'bad'),
    styled(`  ${words.join('  ·  ')}`, 'faint'),
  ];
}

function secondsFrom(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

function upstreamColumns({ at }: Status): readonly Listed<UpstreamStatus>[] {
  return [
    { title: 'UPSTREAM', align: 'left', cell: ({ address }) => address },
    { title: 'STATE', align: 'left', cell: ({ isUp }) => stateOf(isUp) },
    {
      title: 'FOR',
      align: 'right',
      cell: ({ since }) => (since === null ? '' : duration(secondsFrom(since, at))),
    },
    { title: 'CLIENTS', align: 'right', cell: ({ clients }) => count(clients) },
    { title: 'VERSION', align: 'left', cell: ({ version }) => version ?? '' },
    { title: 'PROBLEM', align: 'left', isLong: true, cell: ({ problem }) => ({ text: problem ?? '', style: 'bad' }) },
  ];
}

function stateOf(isUp: boolean | null): Cell {
  const states: readonly (readonly [boolean | null, string, Style])[] = [
    [true, 'up', 'good'],
    [false, 'down', 'bad'],
    [null, 'not asked yet', 'faint'],
  ];
  const [, text = '', style = 'plain'] = states.find(([is]) => is === isUp) ?? [];
  return { text, style };
}

const WORKERS: readonly Listed<WorkerStatus>[] = [
  { title: 'WORKER', align: 'left', cell: ({ id, isStopping }) => `${id}${isStopping ? ' (stopping)' : ''}` },
  { title: 'PID', align: 'right', cell: ({ pid }) => String(pid) },
  { title: 'CLIENTS', align: 'right', cell: ({ clients }) => count(clients) },
  { title: 'FEEDS', align: 'right', cell: ({ feeds }) => count(feeds) },
  { title: 'KEPT', align: 'right', cell: ({ keptBytes }) => bytes(keptBytes) },
  { title: 'AT MOST', align: 'right', cell: ({ maxMemoryBytes }) => bytes(maxMemoryBytes) },
  { title: 'HEAP', align: 'right', cell: ({ heapBytes }) => bytes(heapBytes) },
  { title: 'MEMORY', align: 'right', cell: ({ residentBytes }) => bytes(residentBytes) },
];

const FEEDS: readonly Listed<FeedStatus>[] = [
  { title: 'FEED', align: 'left', cell: ({ id }) => id },
  { title: 'STATE', align: 'right', cell: ({ stateBytes }) => bytes(stateBytes) },
  { title: 'ROWS', align: 'right', cell: ({ stateRows }) => count(stateRows) },
  { title: 'FOLLOWERS', align: 'right', cell: ({ subscribers }) => count(subscribers) },
  { title: 'DOCUMENTS', align: 'right', cell: ({ documents }) => (documents === null ? '–' : count(documents)) },
  {
    title: 'BEHIND',
    align: 'right',
    cell: ({ frontierAgeSeconds, isHealing }) =>
      isHealing ? { text: 'healing', style: 'bad' } : delay(frontierAgeSeconds),
  },
  { title: 'WORK', align: 'right', cell: ({ workSeconds }) => worked(workSeconds) },
  { title: 'CPU', align: 'right', cell: (feed) => load(feed.load) },
  { title: 'AGE', align: 'right', cell: ({ ageSeconds }) => duration(ageSeconds) },
  { title: 'PLAN', align: 'left', cell: ({ plan }) => plan },
  { title: 'USER', align: 'left', cell: ({ user }) => user ?? '–' },
  { title: 'QUERY', align: 'left', isLong: true, cell: ({ query }) => query },
  {
    title: 'PRIVATE',
    align: 'left',
    isLong: true,
    cell: ({ privateBecause }) => (privateBecause === null ? '' : { text: privateBecause, style: 'changed' }),
  },
];

const CLIENTS: readonly Listed<ClientStatus>[] = [
  { title: 'CLIENT', align: 'left', cell: ({ id }) => id },
  { title: 'ADDRESS', align: 'left', cell: ({ address }) => address },
  { title: 'USER', align: 'left', cell: ({ user }) => user ?? '–' },
  { title: 'PROTOCOL', align: 'left', cell: ({ protocol }) => protocol ?? '–' },
  { title: 'FEEDS', align: 'right', cell: ({ feeds }) => count(feeds) },
  { title: 'WAITING', align: 'right', cell: ({ waitingBytes }) => bytes(waitingBytes) },
  { title: 'SENT', align: 'right', cell: ({ bytesRead }) => bytes(bytesRead) },
  { title: 'RECEIVED', align: 'right', cell: ({ bytesWritten }) => bytes(bytesWritten) },
  { title: 'AGE', align: 'right', cell: ({ ageSeconds }) => duration(ageSeconds) },
  { title: 'SERVER', align: 'left', cell: ({ upstream }) => upstream ?? '–' },
];

/**
 * A list below an empty line; nothing where it is empty. Columns of which all cells are empty are left out. Where the lines would be
 * wider than `width`, what is long of a row goes into lines of its own below it.
 */
function listOf<Row>(rows: readonly Row[], columns: readonly Listed<Row>[], width: number): readonly StyledLine[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => columns.map(({ cell }) => visibleCell(cell(row))));
  const used = columns.filter((_, at) => cells.some((line) => line[at]?.text !== ''));
  const whole = tableOf(used, columns, cells, Number.POSITIVE_INFINITY);
  if (whole.every((line) => widthOf(line) <= width)) return [[], ...whole];
  const short = used.filter(({ isLong }) => isLong !== true);
  const [titles = [], ...lines] = tableOf(short, columns, cells, width);
  const long = used.filter(({ isLong }) => isLong === true);
  const below = cells.map((line) => long.flatMap((column) => wrapped(column, line[columns.indexOf(column)], width)));
  return [[], titles, ...lines.flatMap((line, at) => [line, ...(below[at] ?? [])])];
}

function tableOf<Row>(
  kept: readonly Listed<Row>[],
  columns: readonly Listed<Row>[],
  cells: readonly (readonly Cell[])[],
  width: number,
): readonly StyledLine[] {
  const places = kept.map((column) => columns.indexOf(column));
  const rows = cells.map((line) => ({ cells: places.map((at) => line[at] ?? { text: '' }) }));
  return tableLines(kept, rows, width);
}

function widthOf(line: StyledLine): number {
  return line.reduce((sum, { text }) => sum + displayWidth(text), 0);
}

const INDENT = '    ';
/** Lines of one text: whoever wants more takes `--json`. */
const MOST_LINES = 4;

/** A cell in lines of its own. What it is stands before all but queries, which speak for themselves. */
function wrapped({ title }: Column, cell: Cell | undefined, width: number): readonly StyledLine[] {
  if (cell === undefined || cell.text === '') return [];
  const text = title === 'QUERY' ? cell.text : `${title.toLowerCase()}: ${cell.text}`;
  const lines = wrap(text, Math.max(1, width - INDENT.length));
  const shown = lines.slice(0, MOST_LINES);
  if (lines.length > MOST_LINES) shown.push('…');
  return shown.map((line) => [styled(INDENT), styled(line, cell.style)]);
}

function visibleCell(cell: string | Cell): Cell {
  return typeof cell === 'string' ? { text: visible(cell) } : { ...cell, text: visible(cell.text) };
}
