import { expect, test } from 'vitest';
import { OUTGROWN } from '../../../rewrite/plan/server/outgrown.ts';
import { Driven } from './scripted-io.ts';

const T = [15, ['t']];
const changes = (of: unknown, optargs: object = {}): unknown => [152, [of], optargs];
const count = [43, [T]];
const server = { settings: { plan: 'server' as const } };
const INITIALIZING = { state: 'initializing' };
const READY = { state: 'ready' };

const FOLD = 187;
const CHANGES = 152;
const OFFSETS_OF = 87;

/** The term numbers of what was sent upstream, from the outermost along first arguments. */
function chainOf(query: unknown): readonly unknown[] {
  const [, term] = Array.isArray(query) ? query : [];
  const chain: unknown[] = [];
  for (let at: unknown = term; Array.isArray(at); at = at[1]?.[0]) chain.push(at[0]);
  return chain;
}

test('auto folds a count inside RethinkDB and a maximum in the proxy', () => {
  const opened = (of: unknown): unknown => {
    const { upstream } = new Driven(changes(of), { settings: { plan: 'auto' } }).io;
    return chainOf(upstream.at(0))[0];
  };
  expect(opened(count)).toBe(FOLD);
  expect(opened([148, [T, 'x']])).toBe(CHANGES);
});

test('documents of a fold pass, with the notes that RethinkDB leaves out', () => {
  const driven = new Driven(changes(count, { include_initial: true, include_states: true }), server);
  driven.respond({ t: 3, r: [INITIALIZING], n: [1] });
  expect(driven.answers()).toEqual([{ t: 3, r: [INITIALIZING], n: [2, 5] }]);
  driven.continue().respond({ t: 3, r: [{ new_val: 3 }, READY], n: [1] });
  expect(driven.answers()).toEqual([{ t: 3, r: [{ new_val: 3 }, READY], n: [2, 5] }]);
});

test('a fold is drained while the client is slow, and what waits is composed beyond the queue', () => {
  const driven = new Driven(changes(count, { changefeed_queue_size: 2 }), server).send(READY);
  for (let i = 0; i < 9; i++) driven.send({ old_val: i, new_val: i + 1 });
  expect(driven.io.upstream.filter((query) => JSON.stringify(query) === '[2]')).toHaveLength(10);
  const documents = driven.documents();
  expect(documents.at(-1)).toMatchObject({ new_val: 9 });
  expect(documents.length).toBeLessThanOrEqual(3);
});

test('an error in the fold points to the aggregate of the client', () => {
  const driven = new Driven([170, [changes([145, [T, 'x']]), 'new_val']], server);
  driven.respond({ t: 18, e: 3000000, r: ['Expected type NUMBER but found STRING.'], b: [1, 1, 2] });
  const [answer] = driven.answers();
  expect(answer).toMatchObject({ t: 18, r: ['Expected type NUMBER but found STRING.'] });
  expect([[], [0], [0, 0]]).toContainEqual(answer?.b);
});

/** What the errors of a fold that was sent upstream begin with: what it puts before the text of an overflow. */
function markOf(query: unknown): string {
  const found = /\[12,\[\[24,\["([0-9a-f-]{36})",/.exec(JSON.stringify(query))?.[1];
  if (found === undefined) throw new Error('the fold has no mark');
  return found;
}

const OVERFLOW = 'Changefeed cache over array size limit, skipped 3 elements.';

test('an overflow that the fold met ends the feed as a gap, and nobody is shown the mark', () => {
  const driven = new Driven(changes(count), server).send(READY);
  driven.documents();
  driven.respond({ t: 18, e: 5000000, r: [`${markOf(driven.io.upstream.at(0))}${OVERFLOW}`], b: [1] });
  const [answer] = driven.answers();
  expect(answer).toMatchObject({ t: 18, e: 2000000, r: [expect.stringMatching(/^Changefeed cache .* gap/)] });
});

test.each([
  OVERFLOW,
  `${OUTGROWN} 1000 elements with each change of this feed.`,
  'Index `i` was not found on table `test.t`.',
])('a term of the client that says %j is taken at its word, and no sign of the fold or of RethinkDB', (text) => {
  const driven = new Driven(changes(count), { settings: { plan: 'server', healMs: 60_000 } }).send(READY);
  driven.documents();
  driven.respond({ t: 18, e: 5000000, r: [text], b: [1] });
  expect(driven.answers()).toEqual([expect.objectContaining({ t: 18, e: 5000000, r: [text] })]);
});

test('a limit of the server’s that the bags of a fold have met is none for the proxy, which goes on with it', () => {
  const limit = { t: 18, e: 2000000, r: ['Array over size limit `100000`.'], b: [1] };
  const grouped = new Driven(changes([43, [[144, [T, 'k']]]]), server).send(READY);
  grouped.documents();
  grouped.respond(limit);
  expect(grouped.answers()).toEqual([]);
  expect(grouped.io.timers).not.toEqual([]);
  const counted = new Driven(changes(count), server).send(READY);
  counted.documents();
  counted.respond(limit);
  expect(counted.answers()).toMatchObject([{ t: 18, e: limit.e, r: limit.r }]);
});

test('what upstream says of a profile stands in every answer', () => {
  const driven = new Driven(changes(count), { ...server, globals: { profile: true } });
  driven.respond({ t: 3, r: [READY], p: [{ description: 'x' }], n: [1] });
  expect(driven.answers()).toEqual([{ t: 3, r: [], p: [{ description: 'x' }], n: [2] }]);
});

test.each(['auto', 'server', 'proxy'] as const)(
  'terms after changes that the proxy does not know run inside RethinkDB, plan %s',
  (plan) => {
    const driven = new Driven([OFFSETS_OF, [changes(count, { include_states: true }), 1]], { settings: { plan } });
    expect(chainOf(driven.io.upstream.at(0)).slice(0, 2)).toEqual([OFFSETS_OF, FOLD]);
    driven.respond({ t: 3, r: [READY], n: [1] });
    expect(driven.answers()).toEqual([{ t: 3, r: [READY], n: [2, 5] }]);
    driven.continue().feed?.stop();
    expect(driven.io.upstream.slice(1)).toEqual([[2], [3]]);
    driven.respond({ t: 2, r: [], n: [] }).respond({ t: 2, r: [], n: [] });
    expect(driven.answers()).toHaveLength(2);
    expect(driven.io.isEnded).toBe(true);
  },
);
