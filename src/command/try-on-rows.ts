// `livefold explain --check`: the reductions of a query, tried on sample rows.

import { readFileSync } from 'node:fs';
import type { Knowledge } from '../../rewrite/recognized.ts';
import { type TriedReduction, tryReductions } from '../../rewrite/reductions/try-reductions.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../rewrite/reql/error.ts';
import type { ProcessIo } from './process-io.ts';
import { UsageError } from './usage-error.ts';

/**
 * Tries the reductions of a query and prints what was found.
 * @param rows JSON, or a file that holds it: an array of rows, or a row in each line
 * @returns whether all keep their laws
 * @throws UsageError for rows that cannot be read, and for a query in which there is nothing to try
 */
export function tryOnRows(query: string, rows: string, knowledge: Knowledge, around: ProcessIo): boolean {
  const tried = attempt(query, readRows(rows), knowledge);
  if (tried === undefined || tried.length === 0) throw new UsageError('there is no reduction in the query to try');
  for (const line of tried.flatMap(linesOf)) around.print(line);
  return tried.every(({ laws }) => laws.every(({ counterexample }) => counterexample === undefined));
}

function attempt(query: string, rows: readonly Datum[], knowledge: Knowledge): readonly TriedReduction[] | undefined {
  try {
    return tryReductions(query, rows, knowledge);
  } catch (error) {
    if (error instanceof ReqlError) throw new UsageError(`the query fails on the rows: ${error.message}`);
    throw error;
  }
}

function linesOf({ func, elements, laws }: TriedReduction): readonly string[] {
  const verdicts = laws.map(({ law, counterexample }) =>
    counterexample === undefined ? `//   holds: ${law}` : `//   does not hold: ${law}: ${counterexample}`,
  );
  return [`// Tried on ${elements} element${elements === 1 ? '' : 's'}: ${func.replace(/\s+/g, ' ')}`, ...verdicts];
}

const ARRAY = /^\s*\[/;

function readRows(given: string): readonly Datum[] {
  try {
    const text = ARRAY.test(given) ? given : readFileSync(given, 'utf8');
    if (ARRAY.test(text)) return JSON.parse(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line): Datum => JSON.parse(line));
  } catch (error) {
    throw new UsageError(`cannot read the rows: ${error instanceof Error ? error.message : String(error)}`);
  }
}
