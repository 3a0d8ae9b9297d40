// Reductions of a user's own on the command line: modules of aggregates, and trying them on rows.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { eventually } from '../support/checks/eventually.ts';
import { ran } from '../support/checks/ran.ts';

const folder = mkdtempSync(join(tmpdir(), 'livefold-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

function file(text: string, ending = 'mjs'): string {
  files += 1;
  const path = join(folder, `${files}.${ending}`);
  writeFileSync(path, text);
  return path;
}

const PRODUCT = `export const product = {
  name: 'product',
  base: 1,
  apply: (t, acc, x) => t.mul(acc, x),
  unapply: (t, acc, x) => t.div(acc, x),
};
export default [{ name: 'xor', base: 0, apply: (t, acc, x) => t.bitXor(acc, x), emit: (t, acc) => t.add(acc, 0) }];`;

test('the aggregates of a module are known by their names', async () => {
  for (const name of ['product', 'xor']) {
    const { printed, exits } = await ran([
      ...['--aggregates', file(PRODUCT), '--plan', 'server'],
      ...['explain', `r.table('t')('x').changes({aggregate: '${name}'})`],
    ]);
    expect(printed.join('\n')).toMatch(/\nPlan: server, .*\nState: kept inside RethinkDB; it /);
    expect(exits).toEqual([]);
  }
});

test('a proxy started with a module watches by its names', async () => {
  const { printed, exits, signal } = await ran([
    '--embedded',
    '--listen',
    '127.0.0.1:0',
    '--aggregates',
    file(PRODUCT),
  ]);
  const port = Number(/^livefold listening on 127\.0\.0\.1:(\d+)/.exec(printed[0] ?? '')?.[1]);
  const client = await Client.connect({ host: '127.0.0.1', port });
  await client.run(queryOfText("r.tableCreate('t')"));
  await client.run(queryOfText("r.table('t').insert([{id: 2}, {id: 5}])"));
  const documents: unknown[] = [];
  const watched = queryOfText("r.table('t')('id').changes({aggregate: 'product', includeInitial: true})");
  const over = client.watch(watched, (document) => documents.push(document));
  await eventually('the product is known', () => documents.length > 0);
  await client.run(queryOfText("r.table('t').get(2).delete()"));
  await eventually('the product has changed', () => documents.length > 1);
  expect(documents).toEqual([{ new_val: 10 }, { new_val: 5, old_val: 10 }]);
  client.close();
  await expect(over).rejects.toThrow('closed');
  signal('SIGTERM');
  await eventually('it has ended', () => exits.length > 0);
  expect(exits).toEqual([0]);
});

test.each([
  ['', /The module exports none\./],
  ['export const a = 5', /An aggregate has to be an object\./],
  ['export const a = {}', /needs a `name`/],
  ['export const a = {name: "a"}', /The aggregate `a`: `base` is missing\./],
  ['export const a = {name: "a", base: 0}', /`apply` is missing\./],
  ['export const a = {name: "a", base: 0, apply: 1}', /`apply` has to be a function\./],
  [
    'export const a = {name: "a", base: 0, apply: (t, a, x) => t.nope(a)}',
    /`apply` fails: t\.nope is not a function\./,
  ],
  ['export const a = {name: "a", base: 0, apply: (t, a, x) => t.now()}', /`apply` is not deterministic\./],
  [
    'export const a = {name: "a", base: 0, apply: (t, a, x) => t.count(t.table("u"))}',
    /`apply` cannot run: RethinkDB alone can evaluate `table`/,
  ],
  ['export const a = {name: "a", base: 0, apply: (t, a) => a, invert: 1}', /`invert` is no part of an aggregate\./],
  [
    'const a = () => ({name: "a", base: 0, apply: (t, x) => x}); export default [a(), a()]',
    /Two aggregates are called `a`\./,
  ],
  [
    'export const a = {name: "variance", base: 0, apply: (t, acc, x) => acc}',
    /The aggregate `variance`: `name` is that of one that is built in\./,
  ],
  ['export const = 5', /cannot use the aggregates of/],
  ['throw new Error("two\\nlines")', /two lines$/],
])('a module %j is one clear line and exit code 2', async (text, complaint) => {
  for (const args of [['--embedded'], ['explain', "r.table('t').count().changes()"]]) {
    const { printed, complaints, exits } = await ran(['--aggregates', file(text), ...args]);
    expect(printed).toEqual([]);
    expect(complaints).toEqual([expect.stringMatching(complaint)]);
    expect(complaints[0]).not.toContain('\n');
    expect(exits).toEqual([2]);
  }
});

test('a module that is not there is one clear line and exit code 2', async () => {
  const none = join(folder, 'none.mjs');
  const { complaints, exits } = await ran(['--embedded', '--aggregates', none]);
  expect(complaints).toEqual([`livefold: cannot use the aggregates of ${none}: there is no such file`]);
  expect(exits).toEqual([2]);
});

test('reductions that keep their laws are said to', async () => {
  const rows = file('{"x": 1, "k": "a"}\n{"x": 2, "k": "a"}\n\n{"x": 4, "k": "b"}\n', 'jsonl');
  for (const query of [
    "r.table('t')('x').reduce((a, b) => a.add(b), (a, b) => a.sub(b)).changes()",
    "r.table('t').group('k').reduce((a, b) => ({x: a('x').add(b('x'))})).changes()",
    "r.table('t').group('k').count().ungroup()('reduction').reduce((a, b) => a.mul(b)).changes()",
    "r.table('t').group('k').changes({reducer: (group, values) => values})",
    "r.table('t')('x').changes({aggregate: 'product'})",
  ]) {
    const { printed, complaints, exits } = await ran([
      '--aggregates',
      file(PRODUCT),
      'explain',
      query,
      '--check',
      rows,
    ]);
    expect(complaints).toEqual([]);
    expect(printed.join('\n'), query).toMatch(/\/\/ Tried on [23] elements: /);
    expect(printed.join('\n')).toContain('//   holds: ');
    expect(printed.join('\n')).not.toContain('does not hold');
    expect(exits).toEqual([]);
  }
});

test.each([
  [
    "r.table('t')('x').reduce((a, b) => a.add(b), (a, b) => a).changes()",
    '//   does not hold: the reverse undoes the function: acc 0, 1, expected 0, found 1',
  ],
  [
    "r.table('t')('x').reduce((a, b) => a.sub(b)).changes()",
    '//   does not hold: the order of elements does not matter: acc 0, 1, expected -1, found 1',
  ],
  [
    "r.table('t').filter({x: 3})('x').changes({reducer: values => values.map(v => v(0))})",
    '//   does not hold: its outputs are pairs of a value and a whole count: The `reducer` of `changes` must give an array of pairs [value, count], the counts whole numbers, but gave 3.',
  ],
])('a law that %s does not keep is told with the smallest values: exit code 1', async (query, told) => {
  const { printed, exits } = await ran(['explain', query, '--check', '[{"x": 0}, {"x": 1}, {"x": 3}]']);
  expect(printed.at(-1)?.split('\n').concat(printed)).toContain(told);
  expect(exits).toEqual([1]);
});

test.each([
  ["r.table('t')('x').reduce((a, b) => a.add(b)).changes()", 'nowhere.json', /cannot read the rows/],
  ["r.table('t')('x').reduce((a, b) => a.add(b)).changes()", '[1, 2', /cannot read the rows/],
  ["r.table('t').count().changes()", '[{"x": 1}]', /there is no reduction in the query to try/],
  ["r.table('t').changes()", '[{"x": 1}]', /there is no reduction in the query to try/],
])('%s cannot be tried on %s: exit code 2', async (query, rows, complaint) => {
  const { complaints, exits } = await ran(['explain', query, '--check', rows]);
  expect(complaints).toEqual([expect.stringMatching(complaint)]);
  expect(exits).toEqual([2]);
});

test('the aggregates of the examples keep their laws', async () => {
  const rows = '[{"x": 1}, {"x": 6}, {"x": 6}, {"x": 0}, {"x": 9007199254740991}]';
  for (const name of ['share', 'flags']) {
    const query = `r.table('t')('x').changes({aggregate: '${name}'})`;
    const { printed, exits } = await ran(['--aggregates', 'examples/aggregates.js', 'explain', query, '--check', rows]);
    expect(printed.join('\n')).toContain('// Tried on 5 elements');
    expect(exits).toEqual([]);
  }
});
