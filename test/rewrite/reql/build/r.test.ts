import { expect, test } from 'vitest';
import { makeR, termOfReql } from '../../../../rewrite/reql/build/r.ts';
import { serializeTerm } from '../../../../rewrite/reql/term/serialize.ts';
import { queryOfText } from '../../../../src/command/query-of-text.ts';
import { alphaEqual } from '../../../support/checks/alpha-equal.ts';
import { evaluate } from '../../../support/evaluate.ts';

// The official driver's term of the same text is the measure, up to the numbers of variables.
test.each([
  "r.table('t').changes()",
  "r.db('d').table('t', {readMode: 'outdated'}).get('k')('a')('b')",
  "r.table('t').filter(r.row('a').gt(1)).count().changes({includeInitial: true, includeStates: false})",
  "r.table('t').filter({a: 1, b: [1, {c: null}]}).sum('x')",
  "r.table('t').filter((row) => row('a').eq('b'), {default: true})",
  "r.table('t').map((row) => ({a: row('a'), b: [row('b'), 1]})).reduce((left, right) => left.add(right))",
  "r.table('t').group('a', r.row('b'), {index: 'i', multi: true}).avg((row) => row('x').mul(2)).ungroup()",
  "r.table('t').orderBy({index: r.desc('i')}).limit(3)",
  "r.table('t').orderBy('a', r.asc(r.row('b')))",
  "r.table('t').getAll(1, 2, {index: 'i'}).between(r.minval, r.maxval, {leftBound: 'open'})",
  "r.table('t').fold(0, (acc, row) => acc.add(1), {emit: (a, b, c) => [c], finalEmit: (a) => [a]})",
  'r.do(1, 2, (a, b) => a.add(b))',
  "r.table('t').count().do((n) => r.branch(n.gt(3), 'many', 'few'))",
  'r.add(1, 2, r.expr([1, 2]).count()).and(true, false)',
  "r.table('t').insert([{id: 1}, {id: 2}], {conflict: 'replace', returnChanges: true})",
  "r.table('t').get(1).update({n: r.row('n').add(1)})",
  'r.range(3).contains(r.row.eq(2))',
  'r.expr(new Date(0)).during(r.now(), r.epochTime(5))',
  "r.table('t').eqJoin(r.row('a'), r.table('u'), {index: 'i'}).zip()",
  "r.table('t').pluck({a: {b: true}}, 'id').merge(r.row('c')).without('d')",
  "r.args([1, 2]).coerceTo('string').split('')",
  "r.union(r.table('a'), r.table('b')).count().changes()",
  "r.table('t').distinct({index: 'i'}).default(null)",
])('%s is what the official driver makes of it', (text) => {
  const value: unknown = new Function('r', `return ${text}`)(makeR());
  const term = termOfReql(value);
  const expected = evaluate(text);
  expect(alphaEqual(term, expected), `${serializeTerm(term)}\n${serializeTerm(expected)}`).toBe(true);
});

test('a text becomes a START query', () => {
  expect(queryOfText("r.table('t').count() // how many")).toBe('[1,[43,[[15,["t"]]]]]');
});
