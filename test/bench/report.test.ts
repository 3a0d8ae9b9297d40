import { expect, test } from 'vitest';
import type { RowResult } from '../../bench/measure.ts';
import { quietText } from '../../bench/other-work.ts';
import { markdownOfRow } from '../../bench/report.ts';
import { partsOf, resultsText } from '../../bench/results-file.ts';

const one = { median: 1.5, low: 1, high: 2 };

function result(name: string, otherWork: number): RowResult {
  return {
    row: {
      name,
      title: 'what it measures',
      metrics: [{ name: 'time', unit: 'microseconds' }],
      prepare: () => Promise.resolve({ lanes: [], rounds: 1, claims: [] }),
    },
    rounds: 3,
    otherWork,
    lanes: [{ lane: 'Livefold', metric: 0, spread: one }],
    claims: [
      { claim: { metric: 0, of: 'Livefold', to: 'direct', atMost: 2 }, spread: one, missing: undefined },
      { claim: { metric: 0, of: 'Livefold', to: 'HAProxy', atMost: 1 }, spread: undefined, missing: 'HAProxy' },
    ],
  };
}

const reads = markdownOfRow(result('reads', 0.02));
const idle = markdownOfRow(result('idle', 0.3));

test('a row names its contenders, its ratios, and who is not there', () => {
  expect(reads.split('\n')).toEqual([
    '| **reads**: what it measures (3 rounds, other work 2%) | Livefold | time (microseconds) | 1.50 (1.00 to 2.00) |  |  |',
    '|  | Livefold / direct | time | 1.50 (1.00 to 2.00) | at most 2 | holds |',
    '|  | Livefold / HAProxy | time | no HAProxy here | at most 1 | not measured |',
  ]);
});

test('rows that are not measured anew are kept as they are', () => {
  expect([...partsOf(resultsText(['head'], [reads, idle]))]).toEqual([
    ['reads', reads],
    ['idle', idle],
  ]);
});

test('the head says whether the machine was quiet', () => {
  expect(quietText([reads])).toBe('the machine was quiet: other work took at most 2% of its CPUs');
  expect(quietText([reads, idle])).toMatch(/^the machine was not quiet: before 1 of 2 rows .* at most 30%$/);
  expect(quietText([reads, '| **idle**: without a word of it'])).toMatch(/^it is not known/);
});
