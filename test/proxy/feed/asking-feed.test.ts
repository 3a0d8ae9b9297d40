import { expect, test } from 'vitest';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { Driven } from './scripted-io.ts';

const byIndex = [152, [[43, [[144, [[15, ['t']]], { index: 'k' }]]]], { include_initial: true }];
const FIELD = `indexCreate('k', function(var1) { return var1("f"); })`;
const SUM = `indexCreate('k', function(var1) { return r.add(var1("f"), 1); })`;

function reply(driven: Driven, response: Datum): void {
  driven.io.asked.shift()?.answer(Buffer.from(JSON.stringify(response)));
}

function status(query: string): Datum {
  return { t: 1, r: [['id', { index: 'k', query, multi: false, geo: false }]] };
}

test('a group by an index asks what the index holds, and goes on with its fields', () => {
  const driven = new Driven(byIndex);
  expect(driven.io.asked).toHaveLength(1);
  expect(driven.io.upstream).toEqual([]);
  reply(driven, status(FIELD));
  driven.send({ new_val: [['a', 1]] }, { state: 'ready' });
  expect(driven.documents()).toEqual([{ group: 'a', new_val: 1 }]);
});

test('a group by an index of something else is refused', () => {
  const driven = new Driven(byIndex);
  reply(driven, status(SUM));
  expect(driven.io.answers).toMatchObject([{ t: 18, e: 3000000 }]);
  expect(driven.io.answers[0]?.r[0]).toContain('`k`');
  expect(driven.io.isEnded).toBe(true);
});

test('where there is no such table the client gets the error of the server', () => {
  const driven = new Driven(byIndex);
  reply(driven, { t: 18, e: 4100000, r: ['Table `test.t` does not exist.'], b: [] });
  expect(driven.io.upstream).toEqual([]);
  expect(driven.io.answers).toMatchObject([{ t: 18, e: 4100000, r: ['Table `test.t` does not exist.'], b: [0, 0, 0] }]);
  expect(driven.io.isEnded).toBe(true);
});

test('where there is no such index the client gets the error of the server', () => {
  const driven = new Driven(byIndex);
  reply(driven, { t: 18, e: 4100000, r: ['Index `k` was not found on table `test.t`.'], b: [0, 1, 2] });
  expect(driven.io.upstream).toEqual([]);
  expect(driven.io.answers).toMatchObject([
    { t: 18, e: 4100000, r: ['Index `k` was not found on table `test.t`.'], b: [] },
  ]);
  expect(driven.io.isEnded).toBe(true);
});

const AWAY = 'Cannot perform read: primary replica for shard ["", +inf) not available';
const looksUp = [
  38,
  [
    [15, ['t']],
    [
      69,
      [
        [2, [1]],
        [
          170,
          [
            [
              16,
              [
                [15, ['u']],
                [170, [[10, [1]], 'k']],
              ],
            ],
            'n',
          ],
        ],
      ],
    ],
  ],
];

test.each([
  ['a group by an index', byIndex],
  ['a function that looks rows up', [152, [looksUp]]],
  ['a distinct over an index', [152, [[42, [[15, ['t']]], { index: 'k' }]]]],
  ['a join as rows', [152, [[50, [[15, ['t']], 'k', [15, ['u']]]]]]],
  ['rows that are named', [152, [[41, [[15, ['t']], 'k']]], { format: 'merge', include_initial: true }]],
  ['rows of a table as merges', [152, [[15, ['t']]], { format: 'merge' }]],
])('%s: where the tables are out of reach the client is told that, and may try again', (_, term) => {
  const driven = new Driven(term);
  expect(driven.io.asked).toHaveLength(1);
  reply(driven, { t: 18, e: 4100000, r: [AWAY], b: [] });
  expect(driven.io.upstream).toEqual([]);
  expect(driven.io.answers).toMatchObject([{ t: 18, e: 4100000, r: [AWAY] }]);
  expect(driven.io.isEnded).toBe(true);
});

test('a STOP while the server is asked is answered, and so is the query', () => {
  const driven = new Driven(byIndex);
  driven.feed?.stop();
  expect(driven.io.answers).toHaveLength(2);
  expect(driven.io.isEnded).toBe(true);
  reply(driven, status(FIELD));
  expect(driven.io.upstream).toEqual([]);
});

test('what is asked while the server is asked gets its answers all the same', () => {
  const driven = new Driven(byIndex).continue().continue();
  expect(driven.io.answers).toEqual([]);
  reply(driven, status(FIELD));
  driven.send({ new_val: [['a', 1]] }, { state: 'ready' });
  driven.feed?.stop();
  // The START, two CONTINUEs and the STOP.
  expect(driven.io.answers).toHaveLength(4);
});

test('and so it does where the client stops the query meanwhile', () => {
  const driven = new Driven(byIndex).continue();
  driven.feed?.stop();
  expect(driven.io.answers).toHaveLength(3);
  expect(driven.io.isEnded).toBe(true);
});
