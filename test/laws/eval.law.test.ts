// The evaluator and the embedded server against a real RethinkDB: any query that needs no table is answered the same,
// errors, backtraces and the cut of the first batch included. LIVEFOLD_RUNS sets the number of queries. test/facts/law.jsonl keeps
// what was found so.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ErrorType } from '../../rewrite/reql/protocol.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { canonical, responseAgreement } from '../embedded/agreement.ts';
import { queryFacts } from '../embedded/fact.ts';
import { replayQuery } from '../embedded/replay.ts';
import { seedFixture } from '../embedded/seed.ts';
import { WireClient, type WireResponse } from '../embedded/wire-client.ts';
import { anyQuery } from '../rewrite/reql/eval/arbitrary-query.ts';
import { agreement, answer } from '../rewrite/reql/eval/facts.ts';

const address = inject('rethinkdb');
const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 2_000);
const BATCH = 100;

let embedded: EmbeddedServer;

beforeAll(async () => {
  embedded = await createEmbeddedServer();
});

afterAll(() => embedded.close());

/** What differs from the real server's answer in the evaluator's and in the embedded server's; nothing where all agree. */
async function differences(text: string, real: WireClient, own: WireClient): Promise<readonly unknown[]> {
  const ast: unknown = JSON.parse(text);
  const [fact, found] = await Promise.all([real.runAndStop(ast), own.runAndStop(ast)]);
  const evaluated = answer(text);
  // Where the server finds itself at fault, its text is a dump of its stack, which only it has.
  if (fact.e === ErrorType.INTERNAL) {
    return [evaluated, found].every(({ e }) => e === ErrorType.INTERNAL) ? [] : [{ text, fact, evaluated, found }];
  }
  const pure = agreement(evaluated, fact) === 'letter' ? [] : [{ text, fact, evaluated }];
  return [...pure, ...(sameAnswer(fact, found) ? [] : [{ text, fact, found }])];
}

// The elements of a sequence have an order here, since none come from a table.
const sameAnswer = (fact: WireResponse, found: WireResponse): boolean =>
  canonical(fact.r) === canonical(found.r) && responseAgreement(fact, found, true) === 'letter';

test.skipIf(address === null)(
  'random queries are answered as a real RethinkDB answers them',
  { timeout: 3_600_000 },
  async () => {
    if (address === null) return;
    const real = await WireClient.connect(address);
    const own = await WireClient.connect(embedded.address);
    const queries = fc.array(anyQuery, { minLength: BATCH, maxLength: BATCH });
    await fc.assert(
      fc.asyncProperty(queries, async (asked) => {
        const found = await Promise.all(asked.map((query) => differences(JSON.stringify(query), real, own)));
        expect(found.flat()).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / BATCH), interruptAfterTimeLimit: 3_500_000, markInterruptAsFailure: true },
    );
    real.close();
    own.close();
  },
);

test.skipIf(address === null)(
  'a real RethinkDB answers what was found so as it was recorded',
  async () => {
    if (address === null) return;
    const real = await WireClient.connect(address);
    await seedFixture(real);
    for (const fact of queryFacts('law')) {
      expect(await replayQuery(real, fact), fact.reql).toMatchObject({ agreement: 'letter' });
    }
    real.close();
  },
  120_000,
);
