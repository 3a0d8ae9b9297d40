// A mistake at each step of the way from a query to the documents of those who share it: one in what is a client's own ends him alone,
// one in what is shared ends all, and whoever comes next finds all in order.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { Healing } from '../../proxy/feed/healing/healing.ts';
import { LastingSource } from '../../proxy/feed/healing/lasting-source.ts';
import { Share } from '../../proxy/feed/share.ts';
import { FirstValues } from '../../proxy/feed/sharing/first-values.ts';
import type { Subscription } from '../../proxy/feed/subscription/subscription.ts';
import { Upstream } from '../../proxy/feed/upstream.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { bases } from '../support/servers/servers.ts';
import { onSharingStage, type SharingStage, until } from '../support/sharing.ts';

const DB = 'sharing_mistakes';
const PLANS = ['server', 'proxy'] as const;

const add =
  (id: number): Query =>
  (r) =>
    r.table('t').insert({ id }, { durability: 'soft' });
const count =
  (options: object = {}): Query =>
  (r) =>
    r
      .table('t')
      .count()
      .changes({ includeInitial: true, ...options });

const mistake = (): never => {
  throw new TypeError('a mistake');
};

async function failureOf(feed: Feed): Promise<unknown> {
  const ending = await feed.ending();
  return ending.kind === 'failed' ? ending.error : undefined;
}

/** One who carries a feed, one who is to suffer, and one who only looks on. */
interface Three {
  readonly stage: SharingStage;
  readonly clients: readonly [Connection, Connection, Connection];
  readonly feeds: readonly [Feed, Feed, Feed];
  /** What each of them follows with. */
  readonly subscriptions: readonly Subscription[];
  readonly share: Share;
}

/** What happens, so that a step is taken. */
const happens = {
  'there is a write': ({ stage }: Three) => stage.writes.run(add(1)),
  'the carrier goes': ({ clients: [carrier] }: Three) => carrier.close(),
  // What the driver makes of an error in its place is the driver's.
  'he ends his feed': ({ feeds: [, his] }: Three) => his.close().catch(() => {}),
  'he goes': ({ clients: [, his] }: Three) => his.close(),
} as const;

/** Steps that are a client's own, and what makes them happen. */
const own: readonly (readonly [step: keyof Subscription, when: keyof typeof happens, options: object])[] = [
  ['flush', 'there is a write', {}],
  ['grown', 'there is a write', { changefeedQueueSize: 1 }],
  ['healing', 'the carrier goes', { includeHealing: true }],
  ['healed', 'the carrier goes', { includeHealing: true }],
  ['stop', 'he ends his feed', {}],
  ['close', 'he goes', {}],
];

/** Steps that are of all, on the share of some that follow. */
const shared: readonly (readonly [step: string, when: keyof typeof happens, breakIt: (three: Three) => void])[] = [
  ['an answer of upstream’s is read', 'there is a write', () => once(Upstream.prototype, 'read')],
  ['a change is numbered', 'there is a write', () => once(FirstValues.prototype, 'numbered')],
  ['a change is put into the log', 'there is a write', ({ share }) => once(share.log, 'append')],
  ['the log is cleared', 'there is a write', ({ share }) => once(share.log, 'trim')],
  ['it is read again', 'the carrier goes', () => once(Healing.prototype, 'begin')],
];

/** Steps of one who joins. */
const joining: readonly (readonly [step: string, breakIt: () => void, endsAll: boolean])[] = [
  ['the state catches up', () => once(Share.prototype, 'catchUp'), false],
  ['he is let in', () => once(Share.prototype, 'subscribe'), false],
  ['the state is read for him', () => once(LastingSource.prototype, 'snapshot'), true],
];

function once<Of extends object>(of: Of, method: string & keyof Of): void {
  vi.spyOn(of as Record<string, () => never>, method).mockImplementationOnce(mistake);
}

afterEach(() => {
  vi.restoreAllMocks();
});

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    const play = (options: object, run: (three: Three) => Promise<void>): Promise<void> =>
      onSharingStage(under, `${DB}_${plan}`, { feeds: { plan } }, async (stage) => {
        const subscribe = vi.spyOn(Share.prototype, 'subscribe');
        const clients = [await stage.connect(), await stage.connect(), await stage.connect()] as const;
        const feeds: Feed[] = [];
        for (const [at, client] of clients.entries()) {
          const feed = await client.feed(count(at === 1 ? options : {}));
          expect(await feed.take(1)).toEqual([{ new_val: 0 }]);
          feeds.push(feed);
        }
        const [first] = subscribe.mock.contexts;
        if (!(first instanceof Share)) throw new Error('no share');
        const subscriptions = subscribe.mock.results.map(({ value }) => value as Subscription);
        subscribe.mockRestore();
        await run({ stage, clients, feeds: feeds as unknown as Three['feeds'], subscriptions, share: first });
      });
    /** Whoever looks on is told all, and whoever comes is shown the truth. */
    const goesOn = async ({ stage, clients: [, , last], feeds: [, , onlooker] }: Three): Promise<void> => {
      await stage.writes.run(add(2));
      const rows = await stage.writes.run((r) => r.table('t').count());
      await until(onlooker, rows);
      expect(await (await last.feed(count())).take(1)).toEqual([{ new_val: rows }]);
    };

    test.each(own)('a mistake in one client’s `%s`, when %s', (step, when, options) =>
      play(options, async (three) => {
        const his = three.subscriptions[1] as Subscription;
        const broken = vi.spyOn(his as never as Record<string, () => never>, step).mockImplementationOnce(mistake);
        await happens[when](three);
        await goesOn(three);
        expect(broken).toHaveBeenCalled();
        if (when === 'there is a write' || when === 'the carrier goes') {
          expectError(await failureOf(three.feeds[1]), error('INTERNAL', /a mistake/));
        }
      }),
    );

    test.each(shared)('a mistake when %s ends all: %s', (_step, when, breakIt) =>
      play({}, async (three) => {
        breakIt(three);
        await happens[when](three);
        for (const feed of three.feeds.slice(when === 'there is a write' ? 0 : 1)) {
          expectError(await failureOf(feed), error('INTERNAL', /a mistake/));
        }
        const rows = await three.stage.writes.run((r) => r.table('t').count());
        expect(await (await three.clients[2].feed(count())).take(1)).toEqual([{ new_val: rows }]);
      }),
    );

    test.each(joining)('a mistake when one joins and %s', (_step, breakIt, endsAll) =>
      play({}, async (three) => {
        // First values are made anew after a change.
        await three.stage.writes.run(add(1));
        for (const feed of three.feeds) await until(feed, 1);
        breakIt();
        const joined = await three.clients[1].feed(count()).catch((raised: unknown) => raised);
        if (joined instanceof Object && 'ending' in joined) {
          expectError(await failureOf(joined as Feed), error('INTERNAL', /a mistake/));
        } else {
          expectError(joined, error('INTERNAL', /a mistake/));
        }
        if (endsAll) {
          for (const feed of three.feeds) expectError(await failureOf(feed), error('INTERNAL', /a mistake/));
          expect(await (await three.clients[2].feed(count())).take(1)).toEqual([{ new_val: 1 }]);
        } else {
          await goesOn(three);
        }
      }),
    );
  });
}
