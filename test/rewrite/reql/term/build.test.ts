import { expect, test } from 'vitest';
import { builder } from '../../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../../rewrite/reql/build/fresh-vars.ts';
import { MINVAL } from '../../../../rewrite/reql/data/datum.ts';
import { ROOT } from '../../../../rewrite/reql/origin.ts';
import { parseTerm } from '../../../../rewrite/reql/term/parse.ts';
import { serializeTerm } from '../../../../rewrite/reql/term/serialize.ts';
import type { Term } from '../../../../rewrite/reql/term/term.ts';
import { find } from '../../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../../rewrite/reql/term-type.ts';

const origin = { parent: ROOT, frame: 0 };

function client(text: string): Term {
  const term = parseTerm(text);
  if (term instanceof Error) throw term;
  return term;
}

const source = client('[39, [[15,["t"]], [69,[[2,[7]],[10,[7]]]]]]');
const t = builder(origin, freshVars(source));

const rows: readonly [name: string, term: Term, json: string][] = [
  ['a function takes new variables', t.func((a, b) => t.add(a, b)), '[69,[[2,[8,9]],[24,[[10,[8]],[10,[9]]]]]]'],
  ['a function in an argument is a function', t.map(source, () => 1), `[38,[${source.text},[69,[[2,[]],1]]]]`],
  ['optargs follow the arguments', t.changes(source, { squash: true }), `[152,[${source.text}],{"squash":true}]`],
  ['an absent optarg is left out', t.changes(source, { squash: undefined }), `[152,[${source.text}]]`],
  ['a needed object is an argument', t.filter(source, { a: 1 }), `[39,[${source.text},{"a":1}]]`],
  ['a term without optargs takes objects', t.merge({ a: 1 }, { b: 2 }), '[35,[{"a":1},{"b":2}]]'],
  ['arrays are MAKE_ARRAY at every depth', t.expr([[1], { a: [] }]), '[2,[[2,[1]],{"a":[2,[]]}]]'],
  ['data is wire JSON', t.datum({ a: [-0, MINVAL, '"'] }), '{"a":[2,[-0.0,[180,[]],"\\""]]}'],
  ['do takes its function first', t.do((x) => t.not(x), true), '[64,[[69,[[2,[10]],[23,[[10,[10]]]]]],true]]'],
  ['a driver name that is a word of JavaScript', t.default(null, 0), '[92,[null,0]]'],
];
test.each(rows)('%s', (_name, term, json) => {
  expect(serializeTerm(term)).toBe(json);
});

test('every generated term stands for the given place, and the client terms keep theirs', () => {
  const term = t.fold(source, { n: 0 }, (acc) => t.branch(t.eq(acc, 1), [acc], {}));
  expect(find(term, (each) => each !== source && each.text === undefined && each.origin !== origin)).toBeUndefined();
  expect(find(term, (each) => each === source)).toBe(source);
});

test('calls are made by number too', () => {
  expect(t.call(TermType.COUNT, [source], {})).toMatchObject({ type: TermType.COUNT, args: [source], optargs: [] });
});
