// `--aggregates FILE`: a JavaScript module whose exports are aggregates of the user's own.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AggregateDefinition, readDefinition } from '../../rewrite/define-aggregate.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads the aggregates that a module exports: each export is one, or an array of them.
 * @throws UsageError that says in a line what is wrong with the module
 */
export async function readAggregates(file: string | undefined): Promise<readonly AggregateDefinition[]> {
  if (file === undefined) return [];
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(file)).href);
    return definitionsIn(module);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`cannot use the aggregates of ${file}: ${reason}`);
  }
}

function definitionsIn(module: Readonly<Record<string, unknown>>): readonly AggregateDefinition[] {
  // A module may export one of them under two names.
  const definitions = new Set([...new Set(Object.values(module).flat())].map(readDefinition));
  const names = new Set<string>();
  for (const { name } of definitions) {
    if (names.has(name)) throw new TypeError(`Two aggregates are called \`${name}\`.`);
    names.add(name);
  }
  if (names.size === 0) throw new TypeError('The module exports none.');
  return [...definitions];
}
