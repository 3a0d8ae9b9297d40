// `--aggregates FILE`: a JavaScript module whose exports are aggregates of the user's own.

import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AggregateDefinition, readDefinition } from '../../rewrite/analyze/define-aggregate.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads the aggregates that a module exports: each export is one, or an array of them.
 * @throws UsageError that says in a line what is wrong with the module
 */
export async function readAggregates(file: string | undefined): Promise<readonly AggregateDefinition[]> {
  if (file === undefined) return [];
  const path = resolve(file);
  if (!existsSync(path)) throw mistake(file, 'there is no such file');
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
    return definitionsIn(module);
  } catch (error) {
    throw mistake(file, reasonOf(error));
  }
}

function mistake(file: string, reason: string): UsageError {
  return new UsageError(`cannot use the aggregates of ${file}: ${reason}`);
}

/** Codes of Node's loader for files that are no modules. */
const NO_MODULE: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
  'ERR_IMPORT_ASSERTION_TYPE_MISSING',
]);

/** What is wrong, without the places in Node and in the program that its loader tells of. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (NO_MODULE.has(code)) return 'it is no JavaScript module: its name has to end in .js or .mjs';
  if (code === 'ERR_UNSUPPORTED_DIR_IMPORT') return 'it is a folder';
  const missing = /^Cannot find (?:module|package) '([^']+)'/.exec(error.message)?.[1];
  if (code !== 'ERR_MODULE_NOT_FOUND' || missing === undefined) return error.message;
  return `it imports '${isAbsolute(missing) ? relative('', missing) : missing}', which is not there`;
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
