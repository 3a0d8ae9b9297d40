import { expect, test } from 'vitest';
import { printTerm } from '../../../../rewrite/reql/print/print.ts';
import { printLine } from '../../../../rewrite/reql/print/print-line.ts';
import { parseQuery } from '../../../../rewrite/reql/term/parse.ts';
import type { Term } from '../../../../rewrite/reql/term/term.ts';
import { queryOfText } from '../../../../src/command/query-of-text.ts';

function termOf(body: string): Term {
  const parsed = parseQuery(body);
  if (!('term' in parsed)) throw new Error(body);
  return parsed.term;
}

const lineOf = (text: string, showsData = false): string => printLine(termOf(queryOfText(text)), showsData);

test.each([
  ["r.db('shop').table('orders').sum('total').changes()", "r.db('shop').table('orders').sum('total').changes()"],
  [
    "r.table('t').filter({name: 'secret', at: {in: ['secret']}}).count()",
    "r.table('t').filter({ name: '…', at: { in: ['…'] } }).count()",
  ],
  [
    "r.table('t').filter(row => row('age').gt(4711)).count()",
    "r.table('t').filter((row) => row('age').gt('…')).count()",
  ],
  ["r.table('t').filter(r.row('a').eq('secret')).count()", "r.table('t').filter(r.row('a').eq('…')).count()"],
  [
    "r.table('t').getAll('secret', 'secret2', {index: 'name'}).count()",
    "r.table('t').getAll('…', '…', { index: 'name' }).count()",
  ],
  [
    "r.table('t').getAll(['secret', 4711], {index: 'both'}).count()",
    "r.table('t').getAll('…', { index: 'both' }).count()",
  ],
  ["r.table('t').get('secret')('name').changes()", "r.table('t').get('…')('name').changes()"],
  [
    "r.table('t').between('secret', r.maxval, {index: 'n', leftBound: 'open'}).count()",
    "r.table('t').between('…', r.maxval, { index: 'n', leftBound: 'open' }).count()",
  ],
  // A literal that a field is taken of, or a position in it.
  ["r.expr('secret')(0)", "r.expr('…')('…')"],
  ["r.expr(['secret'])(0)", "r.expr('…')('…')"],
  ["r.expr({secret: 'a'})('secret2')", "r.expr('…')('…')"],
  ["r.expr({secret: 'a'}).getField('secret2')", "r.expr('…').getField('…')"],
  ['r.expr([1, {secret: 1}]).contains({secret: 1})', "r.expr('…').contains('…')"],
  ["r.table('t')(4711)", "r.table('t')('…')"],
  ["r.table('t').count('secret')", "r.table('t').count('…')"],
  ["r.table('t')('k').contains('secret')", "r.table('t')('k').contains('…')"],
  ["r.branch(r.table('t').count().gt(4711), 'secret', 'secret2')", "r.branch(r.table('t').count().gt('…'), '…', '…')"],
  ["r.table('t').max('n')('n').default('secret')", "r.table('t').max('n')('n').default('…')"],
  // Keys of an object that is computed are its fields; those of one that is written out may be data.
  ["r.expr({orders: r.table('t').count(), of: 'secret'})", "r.expr({ orders: r.table('t').count(), of: '…' })"],
  ["r.table('t').map(row => ({a: row('x'), b: 'secret'}))", "r.table('t').map((row) => ({ a: row('x'), b: '…' }))"],
  [
    "r.table('t').pluck('a', {b: ['c', {d: true}]}).count()",
    "r.table('t').pluck('a', { b: ['c', { d: true }] }).count()",
  ],
  ["r.table('t').merge({a: 'secret'}).count()", "r.table('t').merge({ a: '…' }).count()"],
  [
    "r.table('t').group('k', row => row('m')).avg('x').changes({includeInitial: true, squash: 5})",
    "r.table('t').group('k', (row) => row('m')).avg('x').changes({ includeInitial: true, squash: 5 })",
  ],
  ["r.table('t').orderBy(r.desc('n')).limit(4711)", "r.table('t').orderBy(r.desc('n')).limit('…')"],
  [
    "r.table('t')('x').reduce((a, b) => a.add(b)).changes({base: 4711, emit: acc => [acc, 'secret']})",
    "r.table('t')('x').reduce((left, right) => left.add(right)).changes({ base: '…', emit: (acc) => [acc, '…'] })",
  ],
  [
    "r.table('t')('x').changes({aggregate: ['quantile', 0.95], shared: false, reducer: values => values.count().gt(4711)})",
    "r.table('t')('x').changes({ aggregate: ['quantile', 0.95], shared: false, reducer: (row) => row.count().gt('…') })",
  ],
  [
    "r.table('t').sum('x').changes({format: 'merge', includeRevs: true, heartbeat: 5, includeHealing: true, since: 'secret'})",
    "r.table('t').sum('x').changes({ format: 'merge', includeRevs: true, heartbeat: 5, includeHealing: true, since: '…' })",
  ],
  ["r.table('t').filter(r.js('secret')).count()", "r.table('t').filter(r.js('…')).count()"],
  ["r.binary('secret').count()", "r.binary(r.expr('…')).count()"],
])('of %s a log shows names and no value', (text, line) => {
  expect(lineOf(text)).toBe(line);
  expect(lineOf(text)).not.toMatch(/secret|4711/);
});

test('bytes and times are values', () => {
  const binary = '[1,[39,[[15,["t"]],{"b":{"$reql_type$":"BINARY","data":"c2VjcmV0"}}]]]';
  expect(printLine(termOf(binary), false)).toBe("r.table('t').filter({ b: { $reql_type$: '…', data: '…' } })");
  expect(printLine(termOf('[1,[78,[[15,["t"]],{"$reql_type$":"TIME","epoch_time":4711}]]]'), false)).not.toContain(
    '4711',
  );
});

test('where logs may show data the line is the query', () => {
  const text = "r.table('t').filter({name: 'secret'}).count().changes()";
  expect(lineOf(text, true)).toBe(printTerm(termOf(queryOfText(text))));
});

const chain = (links: number): string => {
  let term = '[15,["t"]]';
  for (let link = 0; link < links; link++) term = `[24,[${term},${link}]]`;
  return `[1,[152,[${term}],{"include_initial":true}]]`;
};
const array = (depth: number): string => `[1,[152,[[43,[[15,["t"]],${'[2,['.repeat(depth)}1${']]'.repeat(depth)}]]]]]`;
const functions = (depth: number): string => {
  let term = '[15,["t"]]';
  for (let id = depth; id > 0; id--) term = `[38,[[15,["t"]],[69,[[2,[${id}]],[24,[[10,[${id}]],${term}]]]]]]`;
  return `[1,${term}]`;
};

test.each([
  ['a chain of 20,000 terms', chain(20_000)],
  ['an array 4,000 deep', array(4000)],
  ['functions 500 deep', functions(500)],
  [
    'an object of 10,000 fields',
    `[1,[39,[[15,["t"]],{${Array.from({ length: 10_000 }, (_, n) => `"f${n}":[10,[${n}]]`)}}]]]`,
  ],
  ['10,000 keys', `[1,[78,[[15,["t"]],${Array.from({ length: 10_000 }, (_, n) => n)}]]]`],
  ['a key of 100,000 letters', `[1,[170,[[15,["t"]],"${'k'.repeat(100_000)}"]]]`],
  ['data of 100,000 elements', `[1,[54,[[1,[${Array.from({ length: 100_000 }, () => '{"a":1}')}]]]]]`],
  ['200 parameters', `[1,[64,[[69,[[2,[${Array.from({ length: 200 }, (_, n) => n + 1)}]],[10,[1]]]],5]]]`],
])('%s is a line of some 2,000 characters', (_name, body) => {
  const term = termOf(body);
  for (const showsData of [false, true]) {
    const line = printLine(term, showsData);
    expect(line.length).toBeLessThan(2010);
    expect(line).not.toContain('\n');
  }
});

test('of a long query the end is shown, where its options are', () => {
  expect(printLine(termOf(chain(300)), true)).toMatch(
    /^r\.table\('t'\)\.add\(0\)\.add\(1\).* … .*\.changes\(\{ includeInitial: true \}\)$/,
  );
});
