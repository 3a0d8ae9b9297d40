// A value for each group. While the value of one raises NON_EXISTENCE there are no groups, and what a `default` over them gives
// may stand for the whole answer.

import type { GroupDefault, Grouped, Value } from '../live.ts';
import type { Reading } from '../plan/server/reading.ts';
import type { Term } from '../reql/term/term.ts';
import { groupsBetween, groupsInitial, valueBetween, valueInitial } from './documents.ts';
import { CONSTANT, joined } from './growth.ts';
import type { FoldableKind } from './kind.ts';

/** One value per group. */
export const grouped = {
  subject: 'group',
  made: ({ of, value, missed, defaults }) => ({ of: [value, ...besides(missed, defaults)], elements: of }),
  describe: ({ of, value }, say) => `${say.watched(value)}, for each group${say.over(of)}`,
  growths({ value }, growthsOf) {
    const inner = joined(growthsOf(value));
    return [inner === CONSTANT ? 'per group' : `per group, and in each ${inner}`];
  },
  term: (reading, watched) => (hasWhole(watched) ? answerTerm(reading, watched) : groupsTerm(reading, watched)),
  initial(t, now, type, watched) {
    if (!hasWhole(watched)) return groupsInitial(t, now, type);
    const whole = t.bracket(now, 'whole');
    return t.add(
      groupsInitial(t, t.bracket(now, 'groups'), type),
      t.branch(t.eq(whole, null), [], valueInitial(t, whole, type)),
    );
  },
  between(t, old, now, types, watched) {
    if (!hasWhole(watched)) return groupsBetween(t, old, now, types);
    const side = (name: string): readonly [old: Term, now: Term] => [t.bracket(old, name), t.bracket(now, name)];
    const [wholeBefore, wholeNow] = side('whole');
    return t.add(
      groupsBetween(t, ...side('groups'), types),
      t.branch(t.eq(wholeBefore, wholeNow), [], valueBetween(t, wholeBefore, wholeNow, types)),
    );
  },
} as const satisfies FoldableKind<Grouped>;

const NOTHING: readonly never[] = [];

/** The values that are read beside those of the groups. Most groups have none. */
function besides(missed: Grouped['missed'], defaults: Grouped['defaults']): readonly Value[] {
  if (missed === undefined && defaults.length === 0) return NOTHING;
  return [...(missed === undefined ? [] : [missed]), ...defaults.flatMap((given) => [given.below, ...given.of])];
}

/** Whether something may stand for the whole answer: it is `{groups, whole, failing}` then, and the array of groups otherwise. */
function hasWhole({ defaults }: Grouped): boolean {
  return defaults.length > 0;
}

/** The groups as an array of `{group, reduction}`: none while the value of one raises NON_EXISTENCE. */
export function groupsTerm(reading: Reading, watched: Grouped): Term {
  const { t } = reading;
  if (hasWhole(watched)) return t.bracket(answerTerm(reading, watched), 'groups');
  return t.default(raisingGroups(reading, watched, watched.value), []);
}

/**
 * `{groups, whole, failing}`: the groups; what stands for the whole answer, null where nothing does; and whether there are no
 * groups for want of a value.
 */
export function answerTerm(reading: Reading, watched: Grouped): Term {
  const { t } = reading;
  const groups = raisingGroups(reading, watched, watched.value);
  const failing = { groups: [], whole: null, failing: true };
  const all = t.default(t.fields({ groups, whole: null, failing: false }), failing);
  // From the outermost in: where all below a `default` is well, it is seen to by what stands above.
  return watched.defaults.reduceRight<Term>((above, given) => {
    const below = raisingGroups(reading, watched, given.below);
    const whole = t.default(t.fields({ groups: [], whole: wholeTerm(reading, given, below), failing: true }), failing);
    const isWell = t.default(t.ge(t.count(below), 0), false);
    return t.branch(isWell, above, whole);
  }, all);
}

function wholeTerm(reading: Reading, { func, of }: GroupDefault, raised: Term): Term {
  return reading.called(func, [raised, ...of.map((inner) => reading.watched(inner))]);
}

/** The array of the groups, each with a value; raises what is raised for one of them. */
function raisingGroups(reading: Reading, { of, missed }: Grouped, value: Value): Term {
  const { t } = reading;
  const keyed = t.ungroup(t.group(reading.elements(of), (pair) => t.nth(pair, 0)));
  const rows = t.map(
    keyed,
    t.func((row) => {
      const pairs = t.bracket(row, 'reduction');
      const bag = t.map(pairs, (pair) => t.nth(pair, 1));
      return { group: t.bracket(row, 'group'), reduction: reading.inGroup(bag).watched(value) };
    }, 1),
  );
  const array = t.coerceTo(rows, 'array');
  if (missed === undefined) return array;
  return t.branch(t.gt(reading.watched(missed), 0), t.bracket({}, 'value'), array);
}
