// How a connection watches over indexes: one sentinel for each, one question for each table, and who is told what.

import { expect, test } from 'vitest';
import { IndexWatches } from '../../../proxy/feed/index-watch/index-watches.ts';
import type { FeedQuery, UpstreamPort, UpstreamSink } from '../../../proxy/relay/feed-port.ts';
import { builder } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';

const t = builder(undefined, freshVars());
const table = t.table('t');
const EVERY = 5_000;
const REPLACED = 'The secondary index `n` was replaced by a different one.';

/** A query of a sentinel, and what was sent under it. */
interface Sent {
  readonly sink: UpstreamSink;
  readonly sent: string[];
}

/** An index as RethinkDB describes it. */
interface Told {
  readonly index: string;
  readonly function: string;
  readonly multi: boolean;
  readonly geo: boolean;
}

const index = (over: Partial<Told> = {}): Told => ({ index: 'n', function: 'f', multi: false, geo: false, ...over });

/** Watches of a connection whose upstream is played by the test. */
class Played {
  readonly sentinels: Sent[] = [];
  readonly questions: ((body: Buffer) => void)[] = [];
  readonly timers: { readonly ms: number; readonly callback: () => void }[] = [];
  readonly watches: IndexWatches;
  readonly errors: string[] = [];

  constructor(protocol: FeedQuery['protocol'] = 'V1_0') {
    const port: UpstreamPort = {
      query: (start, sink) => {
        expect(JSON.parse(start.toString())[1][0]).toBe(TermType.CHANGES);
        const sent: string[] = [];
        this.sentinels.push({ sink, sent });
        return { more: () => sent.push('more'), stop: () => sent.push('stop'), drop: () => sent.push('drop') };
      },
      ask: (_query, answer) => this.questions.push(answer),
      schedule: (ms, callback) => {
        const timer = { ms, callback };
        this.timers.push(timer);
        return () => {
          const at = this.timers.indexOf(timer);
          if (at >= 0) this.timers.splice(at, 1);
        };
      },
    };
    this.watches = new IndexWatches(port, { protocol, every: EVERY });
  }

  watch(name = 'n'): () => void {
    return this.watches.watch({ table, index: name }, [], (error) => this.errors.push(error.message));
  }

  /** A sentinel that is open. */
  sentinel(at: number): Sent {
    const found = this.sentinels[at];
    if (found === undefined) throw new Error(`there are ${this.sentinels.length} sentinels`);
    return found;
  }

  respond(at: number, response: unknown): void {
    this.sentinel(at).sink.response(Buffer.from(JSON.stringify(response)));
  }

  /** Lets the time come for the next question, which is due after so many milliseconds. */
  due(ms: number): void {
    expect(this.timers.map((timer) => timer.ms)).toEqual([ms]);
    this.timers.pop()?.callback();
  }

  answer(response: unknown): void {
    const [question, ...more] = this.questions.splice(0);
    expect(more).toEqual([]);
    question?.(Buffer.from(JSON.stringify(response)));
  }

  /** The table has these indexes. */
  tells(indexes: readonly Told[], id = 'A'): void {
    this.answer({ t: 1, r: [[{ id, name: 't', db: 'test' }, indexes, 'id']] });
  }
}

test('feeds over one index share a sentinel, which is stopped with the last of them, and so are the questions', () => {
  const played = new Played();
  const first = played.watch();
  const second = played.watch();
  played.respond(0, { t: 3, r: [], n: [1] });
  expect(played.sentinel(0).sent).toEqual(['more']);
  first();
  played.due(0);
  played.tells([index()]);
  expect(played.timers.map(({ ms }) => ms)).toEqual([EVERY]);
  second();
  expect(played.sentinel(0).sent).toEqual(['more', 'stop', 'drop']);
  expect(played.sentinels).toHaveLength(1);
  expect(played.timers).toEqual([]);
});

test('what the sentinel ends with ends all feeds, each once; the next one has a sentinel of its own', () => {
  const played = new Played();
  const releases = [played.watch(), played.watch()];
  played.respond(0, { t: 18, e: 4_100_000, r: [REPLACED], b: [] });
  expect(played.errors).toEqual([REPLACED, REPLACED]);
  for (const release of releases) release();
  played.watch();
  expect(played.sentinels).toHaveLength(2);
  expect(played.errors).toHaveLength(2);
});

test('a sentinel that ends for another reason says nothing of the index, and is opened again after the next question', () => {
  const played = new Played();
  played.watch();
  played.respond(0, { t: 18, e: 4_100_000, r: ['Changefeed aborted (unavailable).'], b: [] });
  expect(played.errors).toEqual([]);
  played.due(0);
  played.tells([index()]);
  expect(played.sentinels).toHaveLength(2);
});

test('an index that the table does not have ends its feeds, and no others', () => {
  const played = new Played();
  played.watch('n');
  played.watch('m');
  played.due(0);
  played.tells([index(), index({ index: 'm' })]);
  played.due(EVERY);
  played.tells([index({ index: 'm' })]);
  expect(played.errors).toEqual(['Index `n` was not found on table `test.t`.']);
  expect(played.sentinel(0).sent.at(-2)).toBe('stop');
  expect(played.sentinel(1).sent).not.toContain('stop');
});

test.each([{ function: 'g' }, { multi: true }, { geo: true }])('an index that is %o now is another one', (change) => {
  const played = new Played();
  played.watch();
  played.due(0);
  played.tells([index()]);
  played.due(EVERY);
  played.tells([index(change)]);
  expect(played.errors).toEqual([REPLACED]);
});

test('a table that does not answer, or answers with an error, is asked again, and ends nothing', () => {
  const played = new Played();
  played.watch();
  played.due(0);
  for (const error of ['Table `test.t` does not exist.', 'Cannot perform read: primary replica not available.']) {
    played.answer({ t: 18, e: 4_100_000, r: [error], b: [] });
    played.due(EVERY);
  }
  played.tells([index()]);
  expect(played.errors).toEqual([]);
  expect(played.sentinels).toHaveLength(1);
});

test('a feed that is opened while the question is out is asked for again at once', () => {
  const played = new Played();
  played.watch();
  played.due(0);
  played.watch();
  expect(played.timers).toEqual([]);
  played.tells([index()]);
  played.due(0);
  expect(played.questions).toHaveLength(1);
});

test('a table whose name is another one`s ends nothing; feeds that may be of the other one are watched there too', () => {
  const played = new Played();
  const old = played.watch();
  played.due(0);
  played.tells([index()]);
  const young = played.watch();
  played.due(0);
  played.tells([], 'B');
  expect(played.errors).toEqual([]);
  expect(played.sentinels).toHaveLength(2);
  young();
  expect(played.sentinel(1).sent).toEqual(['stop', 'drop']);
  expect(played.sentinel(0).sent).toEqual([]);
  old();
  expect(played.sentinel(0).sent).toEqual(['stop', 'drop']);
});

test('an index of places has no sentinel: RethinkDB refuses it, once', () => {
  const played = new Played();
  played.watch();
  played.respond(0, { t: 18, e: 3_000_000, r: ['Index `n` is a geospatial index.'], b: [] });
  played.due(0);
  played.tells([index({ geo: true })]);
  played.due(EVERY);
  played.tells([index({ geo: true })]);
  expect(played.sentinels).toHaveLength(1);
  expect(played.errors).toEqual([]);
});

test('the primary key by its name needs no sentinel', () => {
  const played = new Played();
  played.watch('id');
  played.due(0);
  played.tells([index()]);
  expect(played.sentinel(0).sent).toEqual(['stop', 'drop']);
  played.due(EVERY);
  played.tells([]);
  expect(played.errors).toEqual([]);
  expect(played.sentinels).toHaveLength(1);
});

test('where a CONTINUE holds up what is behind it, the sentinel is looked at with the question alone', () => {
  const played = new Played('V0_3');
  played.watch();
  played.respond(0, { t: 3, r: [], n: [1] });
  expect(played.sentinel(0).sent).toEqual([]);
  played.due(0);
  expect(played.sentinel(0).sent).toEqual(['more']);
  played.tells([index()]);
  played.due(EVERY);
  expect(played.sentinel(0).sent).toEqual(['more']);
  played.respond(0, { t: 3, r: [], n: [1] });
  played.tells([index()]);
  played.due(EVERY);
  expect(played.sentinel(0).sent).toEqual(['more', 'more']);
});

test('an answer tells nothing of an index that came to be read after the question', () => {
  const played = new Played();
  played.watch('n');
  played.due(0);
  played.watch('id');
  // Asked about `n` alone, the server has not looked what the primary key is.
  played.answer({ t: 1, r: [[{ id: 'A', name: 't', db: 'test' }, [index()], null]] });
  expect(played.errors).toEqual([]);
  played.due(0);
  played.tells([index()]);
  expect(played.errors).toEqual([]);
  expect(played.sentinel(1).sent).toEqual(['stop', 'drop']);
  played.due(EVERY);
  played.tells([]);
  expect(played.errors).toEqual(['Index `n` was not found on table `test.t`.']);
});
