import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builder } from '../../rewrite/reql/build/build.ts';
import { freshVars } from '../../rewrite/reql/build/fresh-vars.ts';
import { printTerm } from '../../rewrite/reql/print/print.ts';
import { canonicalKey } from '../../rewrite/reql/term/canonical-key.ts';
import { freeVars } from '../../rewrite/reql/term/facts.ts';
import { parseQuery, parseTerm } from '../../rewrite/reql/term/parse.ts';
import { serializeQuery, serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import { substituteVar } from '../../rewrite/reql/term/substitute.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import { funcParts, funcTerm, varOf, varTerm } from '../../rewrite/reql/term/vars.ts';
import { mapTerm } from '../../rewrite/reql/term/walk.ts';
import { alphaEqual } from '../support/checks/alpha-equal.ts';
import { evaluate } from '../support/evaluate.ts';

// Wire JSON as a client may write it: odd white space, escapes, spellings of numbers, repeated keys, unknown term numbers.

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ');
const number = fc.constantFrom(
  '0',
  '-0',
  '-0.0',
  '1',
  '1.0',
  '1E2',
  '-2.5e-3',
  '9007199254740993',
  '12345678901234567890123',
  '1e308',
);
const character = fc.constantFrom(
  'a',
  'b',
  '$',
  '/',
  '\\/',
  '\\u0041',
  '\\ud83d\\ude00',
  'é',
  '😀',
  '\\"',
  '\\\\',
  '\\n',
);
const string = fc.array(character, { maxLength: 4 }).map((parts) => `"${parts.join('')}"`);
const scalar = fc.oneof(number, string, fc.constantFrom('null', 'true', 'false'));

function list(item: fc.Arbitrary<string>, open: string, close: string): fc.Arbitrary<string> {
  return fc
    .array(
      fc.tuple(space, item, space).map((parts) => parts.join('')),
      { maxLength: 3 },
    )
    .map((items) => `${open}${items.join(',')}${close}`);
}

function field(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(string, space, space, item).map(([key, before, after, value]) => `${key}${before}:${after}${value}`);
}

const { wire } = fc.letrec<{ wire: string; data: string }>((tie) => ({
  data: fc.oneof({ depthSize: 'small' }, scalar, list(field(tie('data')), '{', '}'), list(tie('data'), '[', ']')),
  wire: fc.oneof(
    { depthSize: 'medium' },
    scalar,
    list(field(tie('wire')), '{', '}'),
    fc
      .tuple(space, list(field(scalar), '{', '}'))
      .map(([gap, value]) => `[${gap}1,${gap}${value}]`)
      .filter(hasUniqueKeys),
    fc
      .tuple(fc.constantFrom(2, 3, 15, 24, 38, 43, 69, 103, 152, 9999), space, list(tie('wire'), '[', ']'))
      .map(([type, gap, args]) => `[${gap}${type}${gap},${gap}${args}${gap}]`),
    fc
      .tuple(fc.constantFrom(43, 152, 187), list(tie('wire'), '[', ']'), space, list(field(tie('wire')), '{', '}'))
      .map(([type, args, gap, optargs]) => `[${type},${args},${gap}${optargs}]`),
    fc.constantFrom('[13]', '[13,[]]', '[103,{"a":1}]', '[2]', '[10,[1]]'),
  ),
}));

function hasUniqueKeys(text: string): boolean {
  return parseTerm(text) instanceof Error === false;
}

function parsed(text: string): Term {
  const term = parseTerm(text);
  if (term instanceof Error) throw term;
  return term;
}

// Terms that a driver can write, well-scoped, made with the builder.

type Plan =
  | { readonly is: 'datum'; readonly value: null | boolean | number | string }
  | { readonly is: 'var'; readonly index: number }
  | {
      readonly is: 'array' | 'object' | 'add' | 'map' | 'reduce' | 'do' | 'changes' | 'bracket';
      readonly parts: readonly Plan[];
    };

const key = fc.constantFrom('a', 'b c', "it's", 'include_initial', '1');
const value = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1.5, 1e21, -7, Number.MAX_VALUE),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { depthSize: 'medium' },
    fc.record({ is: fc.constant('datum' as const), value }),
    fc.record({ is: fc.constant('var' as const), index: fc.nat(3) }),
    fc.record({
      is: fc.constantFrom('array', 'object', 'add', 'map', 'reduce', 'do', 'changes', 'bracket'),
      parts: fc.array(tie('plan'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}));

/** The term of a plan: a variable is one of those in scope, or a datum where there is none. */
function made(root: Plan, names: readonly string[]): Term {
  const t = builder(undefined, freshVars());
  const make = (each: Plan, scope: readonly Term[]): Term => {
    if (each.is === 'datum') return t.datum(each.value);
    if (each.is === 'var') return scope[each.index % Math.max(scope.length, 1)] ?? t.datum(each.index);
    const [first = each, second = first, ...rest] = each.parts;
    const below = (part: Plan) => make(part, scope);
    switch (each.is) {
      case 'array':
        return t.expr(each.parts.map(below));
      case 'object':
        return t.fields(Object.fromEntries(each.parts.map((part, index) => [names[index] ?? 'z', below(part)])));
      case 'add':
        return t.add(...each.parts.map(below));
      case 'map':
        return t.map(below(first), (row) => make(second, [...scope, row]));
      case 'reduce':
        return t.reduce(below(first), (left, right) => make(second, [...scope, left, right]));
      case 'do':
        return t.do((...vars) => make(second, [...scope, ...vars]), below(first), ...rest.map(below));
      case 'changes':
        return t.changes(below(first), { include_initial: below(second) });
      case 'bracket':
        return t.bracket(below(first), below(second));
    }
  };
  return make(root, []);
}

test('serialize after parse is the same text', () => {
  fc.assert(
    fc.property(wire, space, (text, gap) => {
      expect(serializeTerm(parsed(text))).toBe(text);
      const body = `${gap}[1,${gap}${text}${gap}]`;
      const query = parseQuery(body);
      if (query.type === 'malformed') throw query.error;
      expect(serializeQuery(query)).toBe(body);
      if (query.type === 1) expect(serializeQuery({ term: query.term, globalOptargs: [] })).toBe(`[1,${text}]`);
    }),
    { numRuns: 500 },
  );
});

test('what is written anew means the same', () => {
  fc.assert(
    fc.property(wire, (text) => {
      const term = parsed(text);
      const bare = mapTerm(term, ({ text: _text, ...rest }) => rest);
      expect(alphaEqual(parsed(serializeTerm(bare)), term)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a walk that changes nothing gives the same object', () => {
  fc.assert(
    fc.property(wire, (text) => {
      const term = parsed(text);
      expect(mapTerm(term, (each) => each)).toBe(term);
    }),
  );
});

test('parsing never throws, whatever the bytes', () => {
  fc.assert(
    fc.property(wire, fc.nat(), fc.nat(3), fc.string({ maxLength: 2 }), (text, at, count, inserted) => {
      const place = at % (text.length + 1);
      const mutated = `[1,${text.slice(0, place)}${inserted}${text.slice(place + count)}]`;
      const query = parseQuery(mutated);
      if (query.type !== 'malformed') expect(serializeQuery(query)).toBe(mutated);
    }),
    { numRuns: 2000 },
  );
});

test('our reader of JSON accepts what that of JavaScript accepts, and reads the same numbers up to their last place', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
      const term = parsed(String(double));
      const read = term.kind === 'datum' ? Number(term.value) : Number.NaN;
      expect(Math.abs(read - double)).toBeLessThanOrEqual(Math.abs(double) * 2 ** -51 + Number.MIN_VALUE);
    }),
  );
});

test('a printed term evaluates to the same term', () => {
  fc.assert(
    fc.property(plan, fc.uniqueArray(key, { minLength: 3, maxLength: 3 }), (root, names) => {
      const term = made(root, names);
      const text = printTerm(term);
      expect(alphaEqual(evaluate(text), term), text).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('substitution takes one variable away and leaves the others', () => {
  fc.assert(
    fc.property(plan, fc.constantFrom(1, 2, 3), fc.constantFrom(2, 3, 50), (root, id, other) => {
      const closed = made(root, []);
      // Variables of the inner functions become free by dropping the function around them.
      const term =
        closed.kind === 'call' && closed.args[1]?.kind === 'call' ? (closed.args[1].args[1] ?? closed) : closed;
      const free = freeVars(term);
      const result = freeVars(substituteVar(term, id, varTerm(other)));
      const expected = new Set([...free].filter((each) => each !== id));
      if (free.has(id)) expected.add(other);
      expect(result).toEqual(expected);
    }),
  );
});

/** Terms of few kinds, so that two of them are often the same: functions of one and two parameters, data in both spellings. */
const { small } = fc.letrec<{ small: string }>((tie) => ({
  small: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('0', '-0.0', '1', '1.0', '1E0', '"a"', '"\\u0061"', '[1,[1]]', '[2,[1]]', '[1,{"a":1}]', '{"a":1}'),
    fc.constantFrom('[10,[1]]', '[10,[2]]', '[10,[-3]]', '[13,[]]', '[13]'),
    fc.tuple(tie('small'), tie('small')).map(([a, b]) => `[24,[${a},${b}]]`),
    fc.tuple(tie('small'), tie('small')).map(([a, b]) => `[152,[${a}],{"squash":${b},"include_initial":1}]`),
    fc.tuple(tie('small'), tie('small')).map(([a, b]) => `{"b":${a},"a":${b}}`),
    fc
      .tuple(fc.constantFrom('1', '2', '-3', '1,2', '2,1', '2,2', ''), tie('small'))
      .map(([params, body]) => `[69,[[2,[${params}]],${body}]]`),
  ),
}));

test('terms have one key exactly when they are the same but for the numbers of their variables', () => {
  let same = 0;
  fc.assert(
    fc.property(fc.array(small, { minLength: 2, maxLength: 6 }), (texts) => {
      const terms = texts.map(parsed);
      for (const one of terms) {
        for (const other of terms) {
          const isSame = alphaEqual(one, other);
          expect(canonicalKey(one) === canonicalKey(other), `${serializeTerm(one)} ${serializeTerm(other)}`).toBe(
            isSame,
          );
          if (isSame && one !== other) same += 1;
        }
      }
    }),
    { numRuns: 1000 },
  );
  expect(same).toBeGreaterThan(100);
});

test('the key of a term does not change with its variables, its text and the order of its optargs', () => {
  fc.assert(
    fc.property(plan, fc.uniqueArray(key, { minLength: 3, maxLength: 3 }), fc.nat(50), (root, names, shift) => {
      const term = made(root, names);
      const other = mapTerm(term, ({ text: _, ...each }) => {
        const id = varOf(each);
        const parts = funcParts(each);
        if (id !== undefined) return varTerm(id + shift);
        if (parts !== undefined)
          return funcTerm(
            parts.params.map((param) => param + shift),
            parts.body,
          );
        return each.kind === 'object' ? { ...each, fields: each.fields.toReversed() } : each;
      });
      expect(canonicalKey(other)).toBe(canonicalKey(term));
    }),
    { numRuns: 300 },
  );
});

test('terms of any depth are parsed, walked, compared, printed and written', () => {
  const depth = 10_000;
  const text = `${'[24,[1,'.repeat(depth)}1${']]'.repeat(depth)}`;
  const term = parsed(text);
  const bare = mapTerm(term, ({ text: _text, ...rest }) => rest);
  expect(serializeTerm(bare)).toBe(text);
  expect(alphaEqual(bare, term)).toBe(true);
  expect(canonicalKey(bare)).toBe(canonicalKey(term));
  expect(printTerm(term).length).toBeGreaterThan(depth);
  expect(substituteVar(term, 1, varTerm(2))).toBe(term);
});
