// The table: for people at a terminal, and as Markdown for RESULTS.md.

import type { ClaimResult, LaneResult, RowResult } from './measure.ts';
import { otherWorkText } from './other-work.ts';
import type { Claim, Metric } from './row.ts';
import type { Spread } from './statistics.ts';

const DIGITS = 3;

/** A number with three digits that count. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  return size === 0 ? '0' : value.toPrecision(DIGITS);
}

function spreadText({ median, low, high }: Spread): string {
  return `${short(median)} (${short(low)} to ${short(high)})`;
}

function claimName({ of, to }: Claim): string {
  return to === undefined ? of : `${of} / ${to}`;
}

function target(value: number): string {
  return value.toLocaleString('en-US');
}

function targetText({ atLeast, atMost }: Claim): string {
  if (atLeast !== undefined) return `at least ${target(atLeast)}`;
  return atMost === undefined ? '' : `at most ${target(atMost)}`;
}

/** Whether the target is met; empty where there is none. */
function verdict({ claim, spread }: ClaimResult): string {
  const { atLeast, atMost } = claim;
  if (atLeast === undefined && atMost === undefined) return '';
  if (spread === undefined) return 'not measured';
  const holds =
    spread.median >= (atLeast ?? Number.NEGATIVE_INFINITY) && spread.median <= (atMost ?? Number.POSITIVE_INFINITY);
  return holds ? 'holds' : 'MISSED';
}

function metricName(metric: Metric | undefined): string {
  return metric === undefined ? '' : `${metric.name} (${metric.unit})`;
}

/** The lines of one row: contenders first, then what is claimed. Cells: who, what, median and spread, target, verdict. */
function rowLines({ row, lanes, claims }: RowResult): readonly (readonly string[])[] {
  const claimed = ({ lane, metric }: LaneResult): boolean =>
    claims.some(({ claim }) => claim.to === undefined && claim.of === lane && claim.metric === metric);
  // The CPU of no proxy is no number.
  const seen = lanes.filter((result) => !Number.isNaN(result.spread.median) && !claimed(result));
  return [
    ...seen.map(({ lane, metric, spread }) => [lane, metricName(row.metrics[metric]), spreadText(spread), '', '']),
    ...claims.map((result) => [
      claimName(result.claim),
      result.claim.to === undefined
        ? metricName(row.metrics[result.claim.metric])
        : (row.metrics[result.claim.metric]?.name ?? ''),
      result.spread === undefined ? `no ${result.missing} here` : spreadText(result.spread),
      targetText(result.claim),
      verdict(result),
    ]),
  ];
}

/** What a row measures, and how. */
function titleOf({ row, rounds, otherWork }: RowResult): string {
  return `${row.title} (${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${otherWorkText(otherWork)})`;
}

/** A row for the terminal. */
export function textOfRow(result: RowResult): string {
  const lines = rowLines(result);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const body = lines.map((cells) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  return [`${result.row.name}: ${titleOf(result)}`, ...body].join('\n');
}

/** A row's part of the Markdown table. */
export function markdownOfRow(result: RowResult): string {
  const lines = rowLines(result).map((cells, index) => {
    const title = index === 0 ? `**${result.row.name}**: ${titleOf(result)}` : '';
    return `| ${[title, ...cells].join(' | ')} |`;
  });
  return lines.join('\n');
}
