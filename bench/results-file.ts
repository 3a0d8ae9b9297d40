// RESULTS.md: a head about the machine, and a table of which each row is from the last run that measured it.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The rows' parts of a RESULTS.md, by the rows' names; none of a file that is not there. */
export function readParts(file: string): ReadonlyMap<string, string> {
  return existsSync(file) ? partsOf(readFileSync(file, 'utf8')) : new Map();
}

/** Writes the file anew. It is there as a whole at any time, whenever the run is interrupted. */
export function writeResults(file: string, head: readonly string[], parts: readonly string[]): void {
  const next = `${file}.next`;
  writeFileSync(next, resultsText(head, parts));
  renameSync(next, file);
}

/** The text of the file. */
export function resultsText(head: readonly string[], parts: readonly string[]): string {
  const table = [
    '| Row | Contender | What | Median (middle half) | Target | |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  return `${['# Results of the bench', '', ...head, '', ...table, ...parts].join('\n')}\n`;
}

/** The rows' parts of such a text. */
export function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const [part = '', name = ''] of text.matchAll(/^\| \*\*([a-z0-9-]+)\*\*: .*(?:\n\| {2}\| .*)*/gm))
    parts.set(name, part);
  return parts;
}
