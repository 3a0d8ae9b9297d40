// The evaluator against a real RethinkDB: any query that needs no table is answered the same, errors and backtraces
// included. Set EVAL_RUNS for more of them.

import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Address } from '../../proxy/address.ts';
import { ErrorType, Protocol, Version } from '../../rewrite/reql/protocol.ts';
import { anyQuery } from '../rewrite/eval/arbitrary-query.ts';
import { agreement, answer, type Response, taken } from '../rewrite/eval/facts.ts';
import { frame, word } from '../support/bytes.ts';
import { connectPeer, type Peer } from '../support/peer.ts';

const address = inject('rethinkdb');
const numRuns = Number(process.env['EVAL_RUNS'] ?? 1_000);
const BATCH = 50;

async function connect(to: Address): Promise<Peer> {
  const peer = await connectPeer(to);
  peer.write(Buffer.concat([word(Version.V0_4), word(0), word(Protocol.JSON)]));
  expect(await peer.text()).toBe('SUCCESS');
  return peer;
}

/** What the server answers to each query, asked all at once. */
async function ask(peer: Peer, queries: readonly string[]): Promise<readonly Response[]> {
  peer.write(Buffer.concat(queries.map((query, token) => frame(token, `[1,${query},{}]`))));
  const answers = new Map<number, Response>();
  while (answers.size < queries.length) {
    const { token, body } = await peer.frame();
    answers.set(Number(token), JSON.parse(body) as Response);
  }
  // What goes on after its first batch is not read further.
  peer.write(Buffer.concat(queries.flatMap((_, token) => (answers.get(token)?.t === 3 ? [frame(token, '[3]')] : []))));
  for (const { t } of answers.values()) if (t === 3) await peer.frame();
  return queries.map((_, token) => answers.get(token) ?? { t: 0, r: [] });
}

test.skipIf(address === null)(
  'random queries are answered as a real RethinkDB answers them',
  { timeout: 3_600_000 },
  async () => {
    if (address === null) return;
    const peer = await connect(address);
    await fc.assert(
      fc.asyncProperty(fc.array(anyQuery, { minLength: 1, maxLength: BATCH }), async (queries) => {
        const texts = queries.map((query) => JSON.stringify(query));
        const facts = await ask(peer, texts);
        const differing = texts.flatMap((text, index) => {
          const fact = facts[index] ?? { t: 0, r: [] };
          // Where the server finds itself at fault, its text is a dump of its stack.
          if (fact.e === ErrorType.INTERNAL) return [];
          const got = answer(text, taken(fact));
          return agreement(got, fact) === 'letter' ? [] : [{ text, got, fact }];
        });
        expect(differing).toEqual([]);
      }),
      { numRuns: Math.ceil(numRuns / (BATCH / 2)), endOnFailure: false },
    );
    peer.socket.destroy();
  },
);
