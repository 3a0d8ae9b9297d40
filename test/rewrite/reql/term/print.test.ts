import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printTerm } from '../../../../rewrite/reql/print/print.ts';
import { checkQuery } from '../../../../rewrite/reql/term/check.ts';
import { parseQuery, parseTerm } from '../../../../rewrite/reql/term/parse.ts';
import type { Term } from '../../../../rewrite/reql/term/term.ts';
import { alphaEqual } from '../../../support/checks/alpha-equal.ts';
import { evaluate } from '../../../support/evaluate.ts';

function term(text: string): Term {
  const parsed = parseTerm(text);
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

const rows: readonly [json: string, text: string][] = [
  ['[15,["t"]]', "r.table('t')"],
  ['[15,[[14,["d"]],"t"],{"read_mode":"outdated"}]', "r.db('d').table('t', { readMode: 'outdated' })"],
  ['[152,[[43,[[15,["t"]]]]],{"include_initial":true}]', "r.table('t').count().changes({ includeInitial: true })"],
  ['[170,[[10,[1]],"a"]]', "var_1('a')"],
  ['[38,[[15,["t"]],[69,[[2,[4]],[170,[[10,[4]],"a"]]]]]]', "r.table('t').map((row) => row('a'))"],
  ['[38,[[15,["t"]],[69,[[2,[4]],{"a":[10,[4]]}]]]]', "r.table('t').map((row) => ({ a: row }))"],
  ['[39,[[15,["t"]],[69,[[2,[1]],[21,[[170,[[13],"a"]],1]]]]]]', "r.table('t').filter(r.row('a').gt(1))"],
  [
    '[37,[[15,["t"]],[69,[[2,[1,2]],[24,[[10,[1]],[10,[2]]]]]]]]',
    "r.table('t').reduce((left, right) => left.add(right))",
  ],
  ['[64,[[69,[[2,[20]],[24,[[10,[20]],1]]]],[43,[[15,["t"]]]]]]', "r.table('t').count().do((value) => value.add(1))"],
  ['[64,[[69,[[2,[1,2]],[24,[[10,[1]],[10,[2]]]]]],1,2]]', 'r.do(1, 2, (value, value2) => value.add(value2))'],
  ['[64,[5]]', 'r.do(5)'],
  ['[182,[[15,["t"]],[180,[]],10],{"left_bound":"open"}]', "r.table('t').between(r.minval, 10, { leftBound: 'open' })"],
  ['[78,[[15,["t"]],[154,[[2,["a","b"]]]]]]', "r.table('t').getAll(r.args(['a', 'b']))"],
  ['[41,[[15,["t"]]],{"index":[74,["i"]]}]', "r.table('t').orderBy({ index: r.desc('i') })"],
  ['[24,[-0.0,1]]', 'r.expr(-0).add(1)'],
  ['[24,[1,2]]', 'r.expr(1).add(2)'],
  ['[2,[1,[2,[]],{}]]', 'r.expr([1, [], {}])'],
  ['"it\'s \\"\\n\\u2028\\\\"', "r.expr('it\\'s \"\\n\\u2028\\\\')"],
  ['{"a b":1,"1":3,"ä":4}', "r.expr({ 'a b': 1, '1': 3, 'ä': 4 })"],
  ['[78,[[15,["t"]],{"a":1}]]', "r.table('t').getAll(r.expr({ a: 1 }))"],
  ['[43,[[15,["t"]],{"a":1}]]', "r.table('t').count({ a: 1 })"],
  ['[155,["x"]]', "r.binary(r.expr('x'))"],
  ['[170,[[2,[1]],0]]', 'r.expr([1])(0)'],
  ['[66,[]]', 'r.or()'],
  ['[103]', 'r.now()'],
  ['[107]', 'r.monday'],
];
test.each(rows)('%s is printed as %s', (json, text) => {
  expect(printTerm(term(json))).toBe(text);
  expect(
    alphaEqual(evaluate(`(${text.replace(/\bvar_1\b/g, 'r.expr(0)')})`), term(json)) || text.includes('var_1'),
  ).toBe(true);
});

test('r.row becomes a variable where the driver would wrap it twice', () => {
  const nested = term('[38,[[15,["t"]],[69,[[2,[1]],[93,[[170,[[13],"a"]],[170,[[13],"b"]]]]]]]]');
  expect(printTerm(nested)).toBe("r.table('t').map((row) => row('a').contains(row('b')))");
});

test('an inner function that reuses a number hides the outer variable', () => {
  const reused = term('[38,[1,[69,[[2,[1]],[38,[[10,[1]],[69,[[2,[1]],[10,[1]]]]]]]]]]');
  expect(printTerm(reused)).toBe('r.expr(1).map((row) => row.map((row2) => row2))');
});

test('variables take given names', () => {
  const add = term('[69,[[2,[1,2]],[24,[[10,[1]],[10,[2]]]]]]');
  expect(printTerm(add, new Map([[1, 'total']]))).toBe('r.expr((total, row) => total.add(row))');
});

test('what no driver can write is printed with its number', () => {
  expect(printTerm(term('[9999,[1,[16,[]]],{"a":[2]}]'))).toBe('r.term(9999, 1, r.term(16), { a: [] })');
});

test('a reduction with a reverse is printed as it is written', () => {
  const add = (type: number) => `[69,[[2,[1,2]],[${type},[[10,[1]],[10,[2]]]]]]`;
  const text = printTerm(term(`[37,[[15,["t"]],${add(24)}],{"reverse":${add(25)},"base":0}]`));
  expect(text.replace(/\s+/g, '')).toBe(
    "r.table('t',).reduce((left,right)=>left.add(right),{reverse:(row,row2)=>row.sub(row2),base:0})",
  );
});

test('long queries are broken into lines', () => {
  const long = term(
    '[187,[[152,[[38,[[15,["orders"]],[69,[[2,[1]],[2,[[170,[[10,[1]],"total"]]]]]]]]],{"include_initial":true,"include_states":true}],' +
      '{"sum":0,"count":0,"ready":false},' +
      '[69,[[2,[2,3]],[65,[[32,[[10,[3]],"state"]],[35,[[10,[2]],{"ready":[17,[[170,[[10,[3]],"state"]],"ready"]]}]],' +
      '[35,[[10,[2]],{"count":[24,[[170,[[10,[2]],"count"]],1]],"sum":[24,[[170,[[10,[2]],"sum"]],[170,[[170,[[10,[3]],"new_val"]],0]]]]}]]]]]]],' +
      '{"emit":[69,[[2,[4,5,6]],[2,[[10,[6]]]]]]}]',
  );
  const text = printTerm(long);
  expect(text).toMatchInlineSnapshot(`
    "r.table('orders')
      .map((row) => [row('total')])
      .changes({ includeInitial: true, includeStates: true })
      .fold(
        { sum: 0, count: 0, ready: false },
        (acc, change) => r.branch(
          change.hasFields('state'),
          acc.merge({ ready: change('state').eq('ready') }),
          acc.merge({ count: acc('count').add(1), sum: acc('sum').add(change('new_val')(0)) }),
        ),
        { emit: (acc, change, next) => [next] },
      )"
  `);
  expect(alphaEqual(evaluate(text), long)).toBe(true);
});

const captured: { readonly queries: readonly string[]; readonly terms: readonly string[] } = JSON.parse(
  readFileSync(new URL('../../../facts/driver-queries.json', import.meta.url), 'utf8'),
);

test.each([...captured.terms, ...captured.queries.map((text) => JSON.stringify(JSON.parse(text)[1]))])(
  'a captured term evaluates back to itself: %s',
  (text) => {
    const query = term(text);
    const printed = printTerm(query);
    expect(alphaEqual(evaluate(printed), query), printed).toBe(true);
  },
);

test('every term that RethinkDB has been seen to compile evaluates back to itself', () => {
  const facts = readFileSync(new URL('../../../facts/signatures.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const failed: string[] = [];
  for (const line of facts) {
    const { ast } = JSON.parse(line);
    const query = parseQuery(JSON.stringify([1, ast]));
    if (query.type !== 1 || checkQuery(query) !== undefined) continue;
    const text = printTerm(query.term);
    if (text.includes('r.term(')) continue;
    try {
      if (!alphaEqual(evaluate(text), query.term)) failed.push(`${query.term.text} ${text}`);
    } catch (error) {
      failed.push(`${query.term.text} ${text} ${error}`);
    }
  }
  expect(failed).toEqual([]);
});
