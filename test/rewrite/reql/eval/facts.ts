// Answers recorded from RethinkDB 2.4.4, as rows: a query's term and what the server answered.

import { readFileSync } from 'node:fs';
import { jsonText } from '../../../../rewrite/reql/data/json-text.ts';
import { ReqlError } from '../../../../rewrite/reql/error.ts';
import { createContext, evaluate, pureTerms } from '../../../../rewrite/reql/eval/index.ts';
import { FIRST } from '../../../../rewrite/reql/eval/streams/batch.ts';
import { framesOf } from '../../../../rewrite/reql/origin.ts';
import { ResponseType } from '../../../../rewrite/reql/protocol.ts';
import { checkQuery } from '../../../../rewrite/reql/term/check.ts';
import { parseTerm } from '../../../../rewrite/reql/term/parse.ts';
import type { Term } from '../../../../rewrite/reql/term/term.ts';
import { find } from '../../../../rewrite/reql/term/walk.ts';

/** A response: its type, its error type, its data or message, its backtrace. */
export interface Response {
  readonly t: number;
  readonly e?: number;
  readonly r: readonly unknown[];
  readonly b?: readonly unknown[];
}

/** A recorded answer. `ast` is the term's JSON as it was sent. */
export interface Fact {
  readonly reql: string;
  readonly ast: string;
  readonly res: Response;
}

/** The facts of one family, from `test/facts`. */
export function readFacts(family: string): readonly Fact[] {
  const file = new URL(`../../../facts/${family}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { reql, res } = JSON.parse(line) as Fact;
      // The term's own text: numbers may be written in ways that JSON.parse does not keep.
      const ast = line.slice(line.indexOf('"ast":') + '"ast":'.length, line.lastIndexOf(',"res":'));
      return { reql, ast, res };
    });
}

/** Whether a term needs no server: all its terms are pure. */
export function isPure(ast: string): boolean {
  const term = parseTerm(ast);
  return !(term instanceof ReqlError) && find(term, isServerTerm) === undefined;
}

function isServerTerm(term: Term): boolean {
  return term.kind === 'call' && pureTerms[term.type] === undefined;
}

const NOW = { $reql_type$: 'TIME', epoch_time: 1_700_000_000, timezone: '+00:00' };

/** What our evaluator answers: of a stream, the first batch; type 3 where there may be more. */
export function answer(ast: string): Response {
  try {
    return run(ast);
  } catch (error) {
    if (!(error instanceof ReqlError)) throw error;
    const { responseType, errorType, message } = error;
    const kind = errorType === undefined ? {} : { e: errorType };
    return { t: responseType, ...kind, r: [message], b: framesOf(error.origin) };
  }
}

function run(ast: string): Response {
  const term = parseTerm(ast);
  if (term instanceof ReqlError) throw term;
  const fault = checkQuery({ term, globalOptargs: [] });
  if (fault !== undefined) throw fault;
  const random = { number: () => 0.5, uuid: () => '00000000-0000-4000-8000-000000000000' };
  const result = evaluate(term, createContext({ terms: pureTerms, now: NOW, random }));
  if ('datum' in result) return { t: ResponseType.SUCCESS_ATOM, r: [JSON.parse(jsonText(result.datum))] };
  const { stream } = result;
  const batch = stream.nextBatch(FIRST);
  const ended = batch.length === 0 || stream.exhausted();
  const rows = batch.map((row): unknown => JSON.parse(jsonText(row)));
  return { t: ended ? ResponseType.SUCCESS_SEQUENCE : ResponseType.SUCCESS_PARTIAL, r: rows };
}

/** Whether two JSON values are the same, the order of keys aside. The recording did not keep the sign of zero. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = new Map<string, unknown>(Object.entries(a));
  const right = new Map<string, unknown>(Object.entries(b));
  return left.size === right.size && [...left].every(([key, value]) => right.has(key) && same(value, right.get(key)));
}

/** How well an answer matches a fact: not at all, in type and kind and data, or also in text and backtrace. */
export function agreement(got: Response, fact: Response): 'none' | 'kind' | 'letter' {
  if (got.t !== fact.t || got.e !== fact.e) return 'none';
  const isError = fact.t >= ResponseType.CLIENT_ERROR;
  if (!same(got.r, fact.r)) return isError ? 'kind' : 'none';
  return same(got.b, fact.b) ? 'letter' : 'kind';
}
