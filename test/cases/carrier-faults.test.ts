// Connections to RethinkDB that break at any byte: while a feed is opened, while it is read again, and while another connection
// takes it over. LIVEFOLD_RUNS says how densely the bytes lie.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { DRILL_MS, type FaultDrill, faultDrill } from '../support/checks/fault-drill.ts';
import { type Fault, faultyLink } from '../support/servers/faulty-link.ts';
import { bases } from '../support/servers/servers.ts';

const PLANS = ['server', 'proxy'] as const;
/** Bytes after which the connection that carries the feeds breaks: the handshake takes some 800 of them, the opening 10,000. */
const STEPS = 8 * Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const MOST_BYTES = 40_000;
const KINDS = ['reset', 'end', 'half'] as const;
const NONE: Fault = { kind: 'none' };

const breaks = Array.from({ length: STEPS }, (_, at) => ({
  kind: KINDS[at % KINDS.length] ?? 'reset',
  after: Math.round(100 + MOST_BYTES * (at / STEPS) ** 2),
}));

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let drill: FaultDrill<Fault>;
    beforeAll(async () => {
      drill = await faultDrill<Fault>({
        under,
        plan,
        name: 'carrier_faults',
        startLink: (target, suffers) => faultyLink(target, () => suffers() ?? NONE),
        inTurn: false,
      });
    });
    afterAll(() => drill.close());

    test.each(breaks)(
      'a connection that breaks after $after bytes: $kind',
      (breaking) => drill.play(breaking, { ...breaking, after: breaking.after + 3000 }, false),
      DRILL_MS,
    );
  });
}
