// Answers of RethinkDB's go wrong, whichever they are: of those to the queries of feeds, of those to the questions about them, while
// they are opened, read again or handed over. LIVEFOLD_RUNS says how many answers are chosen.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { DRILL_MS, type FaultDrill, faultDrill } from '../support/checks/fault-drill.ts';
import { type AnswerFault, answerFaults, type Suffering } from '../support/servers/answer-faults.ts';
import { bases } from '../support/servers/servers.ts';

const PLANS = ['server', 'proxy'] as const;
/** Whether a connection outlives it. */
const LIVES: { readonly [Kind in AnswerFault]: boolean } = {
  reset: false,
  end: false,
  error: true,
  silence: true,
  late: true,
};
/** Opening the feeds takes some fifteen answers, and each healing some ten more. */
const MOST_ANSWERS = 44;
const RUNS = Math.min(MOST_ANSWERS, Number(process.env['LIVEFOLD_RUNS'] ?? 1));
/** Once, and again while what it was is healed. */
const TIMES = [undefined, { every: 3, times: 2 }] as const;

const kinds: readonly AnswerFault[] = ['reset', 'end', 'error', 'silence', 'late'];
const faults: readonly Suffering[] = kinds.flatMap((kind, nth) =>
  Array.from({ length: RUNS }, (_, one) => {
    const again = TIMES[(one + nth) % TIMES.length];
    const at = Math.floor((MOST_ANSWERS / RUNS) * (one + (nth + 1) / (kinds.length + 1)));
    return { kind, at, ...(LIVES[kind] && again !== undefined ? { again } : {}) };
  }),
);

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let drill: FaultDrill<Suffering>;
    beforeAll(async () => {
      drill = await faultDrill({ under, plan, name: 'answer_faults', startLink: answerFaults, inTurn: true });
    });
    afterAll(() => drill.close());

    test.each(faults)(
      'a $kind in the place of answer $at, and again: $again.times',
      (suffering) => drill.play(suffering, { ...suffering, at: suffering.at + 7 }, LIVES[suffering.kind]),
      DRILL_MS,
    );
  });
}
