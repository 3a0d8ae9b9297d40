// Mistakes in what a program gives to the library: each is told by name, and none is taken for something else.

import official from 'rethinkdb';
import { r as ts } from 'rethinkdb-ts';
import { expect, test } from 'vitest';
import { explain, liveRethinkdb, liveRethinkdbTs, rewrite, tryReductions } from '../../rewrite/index.ts';

const COUNT = '[1,[152,[[43,[[15,["t"]]]]]]]';
const OF_INDEX = '[1,[152,[[43,[[78,[[15,["t"]],1],{"index":"k"}]]]]]]';
const given = official.table('t').count();

/** Calls as JavaScript makes them, with whatever. */
type Loose = (...given: readonly unknown[]) => unknown;

const calls = { rewrite, explain, tryReductions, liveRethinkdb, liveRethinkdbTs } as unknown as Readonly<
  Record<'rewrite' | 'explain' | 'tryReductions' | 'liveRethinkdb' | 'liveRethinkdbTs', Loose>
>;

const QUERY = "takes a query as the wire's JSON, a text like '[1,[43,...]]'; found";

const mistakes: readonly (readonly [call: keyof typeof calls, args: readonly unknown[], text: string])[] = [
  ['rewrite', [], `\`rewrite\` ${QUERY} undefined.`],
  ['rewrite', [JSON.parse(COUNT)], `\`rewrite\` ${QUERY} an array.`],
  ['rewrite', [given], `\`rewrite\` ${QUERY} a query of \`rethinkdb\`.`],
  ['rewrite', [ts.table('t')], `\`rewrite\` ${QUERY} a query of \`rethinkdb-ts\`.`],
  ['rewrite', ['[152,[[43,[[15,["t"]]]]]]'], `\`rewrite\` ${QUERY} "[152,[[43,[[15,[\\"t\\"]]]]]]".`],
  ['rewrite', ['[15,["t"]]'], `\`rewrite\` ${QUERY} "[15,[\\"t\\"]]".`],
  ['rewrite', [''], `\`rewrite\` ${QUERY} "".`],
  ['explain', ["r.table('t').count().changes()"], `\`explain\` ${QUERY} "r.table('t').count().changes()".`],
  ['tryReductions', ['{"x":0}', []], `\`tryReductions\` ${QUERY} "{\\"x\\":0}".`],
  ['explain', [Buffer.from(COUNT)], `\`explain\` ${QUERY} an object.`],
  ['tryReductions', [5, []], `\`tryReductions\` ${QUERY} 5.`],
  ['tryReductions', [COUNT], '`tryReductions` takes rows as an array; found undefined.'],
  ['explain', [COUNT, 'SERVER'], '`explain` takes the plan `auto`, `server`, `proxy`; found "SERVER".'],
  ['rewrite', [COUNT, null], 'The settings of `rewrite` are an object; found null.'],
  [
    'rewrite',
    [COUNT, { plan: 'server' }],
    '`rewrite` has no setting `plan`; it has `indexes`, `aggregates`, `now`, `maxSteps`.',
  ],
  [
    'rewrite',
    [COUNT, { maxSteps: Number.NaN }],
    'The setting `maxSteps` of `rewrite` is a number of at least 1; found NaN.',
  ],
  [
    'rewrite',
    [COUNT, { aggregates: {} }],
    'The setting `aggregates` of `rewrite` is an array of aggregates; found an object.',
  ],
  ['rewrite', [COUNT, { aggregates: [{}] }], 'An aggregate needs a `name`, a string.'],
  ['rewrite', [COUNT, { indexes: {} }], 'The setting `indexes` of `rewrite` is a function; found an object.'],
  [
    'liveRethinkdb',
    [],
    "`liveRethinkdb` takes a query of the driver `rethinkdb`, as r.table('t').count().changes(); found undefined.",
  ],
  [
    'liveRethinkdb',
    [ts.table('t')],
    "`liveRethinkdb` takes a query of the driver `rethinkdb`, as r.table('t').count().changes(); found a query of `rethinkdb-ts`.",
  ],
  [
    'liveRethinkdbTs',
    [ts.table('t')],
    '`liveRethinkdbTs` takes the `r` of the driver `rethinkdb-ts` first; found a query of `rethinkdb-ts`.',
  ],
  [
    'liveRethinkdbTs',
    [ts, given],
    "`liveRethinkdbTs` takes a query of the driver `rethinkdb-ts` second, as r.table('t').count().changes(); found a query of `rethinkdb`.",
  ],
];

for (const [call, args, text] of mistakes) {
  test(text, () => {
    expect(() => calls[call](...args)).toThrow(new TypeError(text));
  });
}

test('the instant of a query is a time as the wire has it', () => {
  expect(() => calls.rewrite(COUNT, { now: new Date(0) })).toThrow(
    /^The setting `now` of `rewrite` is a time as the wire/,
  );
});

test('what is no knowledge of an index is not taken for one', () => {
  for (const found of [{}, 'k', { fields: 'k', compound: false, multi: false }, Promise.resolve(null)]) {
    for (const [call, plan] of [
      ['rewrite', []],
      ['explain', ['auto']],
    ] as const) {
      expect(() => calls[call](OF_INDEX, ...plan, { indexes: () => found })).toThrow(/^The setting `indexes` returns/);
    }
  }
});

test('a query that asks for no result, or is wrong inside, is left to the server', () => {
  for (const text of ['[2]', ' [ 3 ]', '[1', '[1,[152,[[43,[[15,["t"]]]]', '[1,[152,[[43,[[999,["t"]]]]]]]'])
    expect(rewrite(text)).toEqual({ kind: 'untouched' });
});

test('an option that is read of a table, or is left to chance, is told by its name', () => {
  for (const option of ['[43,[[15,["t"]]]]', '[151,[]]', '[169,[]]']) {
    const { kind, error } = {
      error: undefined,
      ...rewrite(`[1,[152,[[43,[[15,["t"]]]]],{"include_states":${option}}]]`),
    };
    expect([kind, error?.message]).toEqual([
      'refused',
      'Cannot watch a query with `changes` at this place: its optarg `include_states` is not a constant. Write it out.',
    ]);
  }
});

test.each([
  ['heartbeat', 1],
  ['include_healing', true],
  ['include_revs', true],
])('what only the proxy tells is refused by the library: `%s`', (name, value) => {
  const asked = rewrite(JSON.stringify([1, [152, [[43, [[15, ['t']]]]], { [name]: value }]]));
  expect(asked.kind === 'refused' ? asked.error.message : asked.kind).toMatch(/^Cannot watch .* Leave `.*` out\.$/);
});
