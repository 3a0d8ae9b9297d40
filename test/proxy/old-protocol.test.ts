// V0_3 answers one query at a time, and a feed that has nothing to say with an empty batch (CASES E5; rethinkdb#4400).

import { describe, expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import { frame, text, word } from '../support/checks/bytes.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { liveServers } from '../support/servers/servers.ts';

const HELLO = Buffer.concat([word(0x5f75e83e), word(0), word(0x7e6970c7)]);

for (const [index, server] of liveServers.entries()) {
  describe.skipIf(!server.there)(server.name, () => {
    test('a plain query behind a CONTINUE of a live count is answered in its turn, and the count goes on', async () => {
      const running = await server.start();
      const db = `[14,["old_${index}"]]`;
      const table = `[15,[${db},"t"]]`;
      const owner = await Client.connect(running.database);
      await owner.run(`[1,[57,["old_${index}"]]]`);
      await owner.run(`[1,[60,[${db},"t"]]]`);
      const peer = await connectPeer(running.client);
      try {
        peer.write(HELLO);
        expect(await peer.text()).toBe(text('SUCCESS').toString().slice(0, -1));
        peer.write(frame(1, `[1,[152,[[43,[${table}]]],{"include_initial":true}]]`));
        let first = await peer.frame();
        while (JSON.parse(first.body).r.length === 0) {
          peer.write(frame(1, '[2]'));
          first = await peer.frame();
        }
        expect(JSON.parse(first.body)).toMatchObject({ t: 3, r: [{ new_val: 0 }] });

        peer.write(Buffer.concat([frame(1, '[2]'), frame(2, '[1,[24,[1,2]]]')]));
        const [batch, sum] = [await peer.frame(), await peer.frame()];
        expect([batch.token, sum.token]).toEqual([1n, 2n]);
        expect(JSON.parse(batch.body)).toMatchObject({ t: 3, r: [] });
        expect(JSON.parse(sum.body)).toEqual({ t: 1, r: [3] });

        await owner.run(`[1,[56,[${table},{"id":1}]]]`);
        let documents: readonly unknown[] = [];
        while (documents.length === 0) {
          peer.write(frame(1, '[2]'));
          documents = JSON.parse((await peer.frame()).body).r;
        }
        expect(documents).toEqual([{ old_val: 0, new_val: 1 }]);
        peer.write(frame(1, '[3]'));
        expect(JSON.parse((await peer.frame()).body)).toMatchObject({ t: 2, r: [] });
      } finally {
        peer.socket.destroy();
        await owner.run(`[1,[58,["old_${index}"]]]`);
        owner.close();
        await running.close();
      }
    });
  });
}
