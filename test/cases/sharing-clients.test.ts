// Clients of another kind beside a share, or in it: those of V0_3, which answers one query at a time, and those that send FIN and
// still read.

import { describe, expect, test } from 'vitest';
import { queryOfText } from '../../src/command/query-of-text.ts';
import type { Query } from '../support/reql.ts';
import { connectRaw, MORE, type RawClient } from '../support/servers/raw.ts';
import { bases } from '../support/servers/servers.ts';
import { onSharingStage, type SharingStage } from '../support/sharing.ts';

const DB = 'sharing_clients';
const PLANS = ['server', 'proxy'] as const;

const add =
  (id: number): Query =>
  (r) =>
    r.table('t').insert({ id }, { durability: 'soft' });

interface Answer {
  readonly t: number;
  readonly r: readonly { readonly new_val?: unknown }[];
}

/** Asks for more until a document has this value. */
async function readTo(client: RawClient, first: Answer | undefined, value: number): Promise<readonly unknown[]> {
  const documents = [...(first?.r ?? [])];
  while (documents.at(-1)?.new_val !== value) documents.push(...(JSON.parse(await client.more()) as Answer).r);
  return documents;
}

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    const play = (run: (stage: SharingStage) => Promise<void>): Promise<void> =>
      onSharingStage(under, `${DB}_${plan}`, { feeds: { plan } }, run);
    const count = queryOfText(`r.db('${DB}_${plan}').table('t').count().changes({includeInitial: true})`);
    const start = async (client: RawClient): Promise<Answer> => JSON.parse(await client.ask(count));
    /** Feeds of those who have no name, beside the query that asks. */
    const upstreamHas = (stage: SharingStage, feeds: number): Promise<void> => stage.upstreamHas('admin', feeds + 1);

    test('a client of V0_3 has a feed of its own, is told what the others are, and takes nothing away when it goes', () =>
      play(async (stage) => {
        const { proxy, writes, opened } = stage;
        const clients = [await connectRaw(proxy.address), await connectRaw(proxy.address)];
        const firsts = [await start(clients[0] as RawClient), await start(clients[1] as RawClient)];
        const old = [await connectRaw(proxy.address, 'V0_3'), await connectRaw(proxy.address, 'V0_3')];
        for (const client of old) firsts.push(await start(client));
        expect(opened()).toMatchObject([
          { carried: 'shared' },
          { carried: 'joined' },
          { carried: 'alone', why: expect.stringContaining('V0_3') },
          { carried: 'alone', why: expect.stringContaining('V0_3') },
        ]);
        await upstreamHas(stage, 3);
        await writes.run(add(1));
        for (const [at, client] of [...clients, ...old].entries()) {
          const told = await readTo(client, firsts[at], 1);
          expect(told).toEqual([{ new_val: 0 }, { old_val: 0, new_val: 1 }]);
        }
        // One goes in the middle of its wait, the other by the book.
        old[0]?.close();
        expect(JSON.parse(await (old[1] as RawClient).stop())).toMatchObject({ t: 2, r: [] });
        await upstreamHas(stage, 1);
        await writes.run(add(2));
        for (const client of clients) expect(await readTo(client, undefined, 2)).toEqual([{ old_val: 1, new_val: 2 }]);
        for (const client of [...clients, ...old]) client.close();
        await upstreamHas(stage, 0);
      }));

    test.each([
      ['behind its query', count],
      ['behind what asks for more', MORE],
    ] as const)(
      'a client that sends FIN %s and still reads has left: its connection ends, the others go on',
      (_, last) =>
        play(async (stage) => {
          const { proxy, writes } = stage;
          for (const isFirst of [true, false]) {
            const [half, whole] = [await connectRaw(proxy.address), await connectRaw(proxy.address)];
            // As the one who carries the feed, and as one who has joined.
            const order = isFirst ? [half, whole] : [whole, half];
            for (const client of order) {
              if (client === whole || last === MORE) await readTo(client, await start(client), isFirst ? 0 : 1);
            }
            half.last(last);
            await half.peer.closed();
            await upstreamHas(stage, 1);
            await writes.run(add(isFirst ? 1 : 2));
            expect(await readTo(whole, undefined, isFirst ? 1 : 2)).toHaveLength(1);
            expect(half.peer.waiting.toString()).not.toContain('old_val');
            whole.close();
            await upstreamHas(stage, 0);
          }
        }),
    );
  });
}
