import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkQuery } from '../rewrite/reql/term/check.ts';
import { parseQuery } from '../rewrite/reql/term/parse.ts';
import { signatureOf, termName, termNames } from '../rewrite/reql/term/signatures.ts';
import { TermType } from '../rewrite/reql/term-type.ts';

/** A recorded answer of RethinkDB 2.4.4: response type, results or text, and backtrace. */
interface Fact {
  readonly reql: string;
  readonly ast: unknown;
  readonly res: { readonly t: number; readonly r: readonly unknown[]; readonly b?: readonly (string | number)[] };
}

const facts: readonly Fact[] = readFileSync(new URL('facts/signatures.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** What we say RethinkDB answers before it runs the query; `undefined` where it would run it. */
function refusal({
  ast,
}: Fact): { readonly message: string; readonly frames: readonly (string | number)[] } | undefined {
  const query = parseQuery(JSON.stringify([1, ast]));
  if (query.type === 'malformed') return { message: query.error.message, frames: query.error.frames };
  if (query.type !== 1) throw new Error('not a START query');
  const error = checkQuery(query);
  return error === undefined ? undefined : { message: error.message, frames: error.frames };
}

const COMPILE_ERROR = 17;

test('every term number of the protocol has a row', () => {
  expect(termNames.toSorted()).toEqual(Object.keys(TermType).toSorted());
  for (const [name, type] of Object.entries(TermType)) {
    expect(termName(type)).toBe(name);
    expect(signatureOf(type)).toBeDefined();
  }
  expect(signatureOf(9999)).toBeUndefined();
});

test('driver names are unique', () => {
  const drivers = Object.values(TermType).map((type) => signatureOf(type)?.driver);
  expect(new Set(drivers).size).toBe(drivers.length);
});

test('the recorded compile errors are ours, texts and backtraces', () => {
  const wrong = facts
    .filter(({ res }) => res.t === COMPILE_ERROR)
    .map((fact) => ({
      ast: JSON.stringify(fact.ast),
      recorded: { message: fact.res.r[0], frames: fact.res.b },
      ours: refusal(fact),
    }))
    .filter(({ recorded, ours }) => JSON.stringify(recorded) !== JSON.stringify(ours));
  expect(wrong).toEqual([]);
});

test('what RethinkDB runs is not refused', () => {
  const refused = facts.filter(({ res }) => res.t !== COMPILE_ERROR).filter((fact) => refusal(fact) !== undefined);
  expect(refused.map(({ reql }) => reql)).toEqual([]);
});
