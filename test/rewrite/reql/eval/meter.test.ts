// Evaluation is counted: no term of a client's runs on and on, and none makes data without end.

import { expect, test } from 'vitest';
import type { Datum } from '../../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../../rewrite/reql/error.ts';
import { asOption, OPTION_STEPS, outsideContext } from '../../../../rewrite/reql/eval/core/outside-context.ts';
import { evaluateClosed, pureFunction } from '../../../../rewrite/reql/eval/core/pure-function.ts';
import { Meter, OutOfSteps } from '../../../../rewrite/reql/meter.ts';
import { ErrorType } from '../../../../rewrite/reql/protocol.ts';
import { evaluate } from '../../../support/evaluate.ts';
import { hostileTerms } from '../../../support/queries/hostile-terms.ts';

const NOW = { $reql_type$: 'TIME', epoch_time: 0, timezone: '+00:00' };
const LIMITS = { maxSteps: 100_000, maxArrayLimit: 1_000_000 };

interface Outcome {
  readonly value?: Datum;
  readonly error?: ReqlError;
  /** Steps taken. */
  readonly spent: number;
}

function outcomeOf(text: string, limits = LIMITS): Outcome {
  const context = outsideContext([], NOW, limits);
  try {
    return { value: evaluateClosed(evaluate(text), context), spent: context.meter.spent };
  } catch (error) {
    if (error instanceof ReqlError) return { error, spent: context.meter.spent };
    throw error;
  }
}

/** What RethinkDB would refuse before it costs anything, or what is cheap here, though it looks dear. */
const HARMLESS: ReadonlySet<string> = new Set([
  'a long array',
  'pairs of pairs where a number is due',
  'lists of lists looked into',
  'lists of lists as a time',
  'JSON that nests',
]);

for (const [name, text] of Object.entries(hostileTerms)) {
  test(`${name}: ends within its steps`, () => {
    const { error, spent } = outcomeOf(text);
    if (HARMLESS.has(name)) expect(spent).toBeLessThanOrEqual(LIMITS.maxSteps);
    else expect(error).toMatchObject({ errorType: ErrorType.RESOURCE_LIMIT });
  });
}

test('the error says which term takes too much, how much it may, and which option raises that', () => {
  const { error } = outcomeOf('r.expr([1, 2]).map(x => r.range(1e15).count())');
  expect(error?.message).toBe(
    'Evaluating `count` takes more than the 100000 steps, or the 10 milliseconds, that Livefold may take for it at a time.  To raise the limits, set `--max-steps` of the proxy.',
  );
  expect(error?.frames).toEqual([1, 1]);
});

test('more steps go further', () => {
  const text = 'r.range(50000).map(x => x.add(1)).sum()';
  expect(outcomeOf(text).error?.errorType).toBe(ErrorType.RESOURCE_LIMIT);
  expect(outcomeOf(text, { ...LIMITS, maxSteps: 1_000_000 }).value).toBe(1_250_025_000);
});

test('each piece of work has all steps; calls within one share them', () => {
  const context = outsideContext([], NOW, LIMITS);
  const func = evaluate('x => r.range(5000).map(y => y.add(x)).sum()');
  if (func.kind !== 'call') throw new TypeError('no function');
  const call = pureFunction(func, context);
  for (let time = 0; time < 20; time++) {
    context.meter.renew();
    expect(call([1])).toBe(12_502_500);
  }
  context.meter.renew();
  const often = (): void => {
    for (let time = 0; time < 20; time++) call([1]);
  };
  expect(often).toThrow(OutOfSteps);
});

test('what a function returns is counted as it would be written out, however often one part is in it', () => {
  const pairs = (times: number): string => `r.expr(1)${'.do(z => r.expr([z, z]))'.repeat(times)}`;
  expect(outcomeOf(pairs(10)).error).toBeUndefined();
  expect(outcomeOf(pairs(30)).error?.errorType).toBe(ErrorType.RESOURCE_LIMIT);
});

test('`default` and `filter` do not hide that there are too many steps', () => {
  for (const text of [
    'r.range(1e15).count().default(0)',
    'r.expr([{a: 1}]).filter(x => r.range(1e15).count().gt(0)).count()',
    "r.expr([{a: 1}])('a').do(x => r.range(1e15).count()).default(0)",
    'r.expr({a: [1]}).pluck({a: r.range(1e15).count().coerceTo("string")})',
    'r.expr([1]).group(x => r.range(1e15).count()).count().ungroup()',
    'r.expr([1]).sum(x => r.range(1e15).count())',
    'r.expr([1, 2]).orderBy(x => r.range(1e15).count())',
  ]) {
    expect(outcomeOf(text).error, text).toBeInstanceOf(ReqlError);
    expect(outcomeOf(text).error?.message, text).toMatch(/^Evaluating `\w+` takes more than the 100000 steps/);
  }
});

test('where there is a clock, work is held to a time: what has taken few steps may go on, what has taken many has to end', () => {
  let now = 0;
  const meter = new Meter(1_000_000, undefined, () => now);
  // The first steps are free, whatever they take.
  meter.spend(20_000);
  now = 1000;
  meter.spend(10_000);
  // From here on there are 30 milliseconds, and the clock is looked at each 10,000 steps.
  now = 1029;
  meter.spend(10_001);
  now = 1031;
  meter.spend(9_000);
  expect(() => meter.spend(10_000)).toThrow(OutOfSteps);
  // A term that hides the error gets no more steps.
  expect(() => meter.spend(1)).toThrow(OutOfSteps);
  meter.renew();
  meter.spend(20_000);
  now = 5000;
  meter.spend(20_000);
});

test('work of an option inside of other work is not timed, and the time of the other work goes on', () => {
  let now = 0;
  const meter = new Meter(1_000_000, undefined, () => now);
  meter.spend(30_000);
  meter.apart(10_000, () => {
    now = 500;
    meter.spend(9_000);
  });
  expect(() => meter.spend(20_000)).toThrow(OutOfSteps);
});

test('an option has few steps, and those of the work around it are left as they are', () => {
  const meter = new Meter(100);
  meter.spend(90);
  expect(asOption('The option `squash` takes', meter, undefined, () => meter.spend(OPTION_STEPS))).toBeUndefined();
  expect(meter.spent).toBe(90);
  expect(() => asOption('The option `squash` takes', meter, undefined, () => meter.spend(OPTION_STEPS + 1))).toThrow(
    'The option `squash` takes more than the 10000 steps that Livefold takes for it.  Write the value into the query.',
  );
});

test('a client’s array_limit counts up to what the proxy allows; the error says whose limit it is', () => {
  const limits = { maxSteps: 1e9, maxArrayLimit: 1000 };
  const under = (arrayLimit: number): Outcome => {
    const context = outsideContext([['array_limit', { kind: 'datum', value: arrayLimit }]], NOW, limits);
    try {
      return { value: evaluateClosed(evaluate("r.range(1e9).coerceTo('array').count()"), context), spent: 0 };
    } catch (error) {
      return { error: error as ReqlError, spent: 0 };
    }
  };
  expect(under(10).error?.message).toMatch(
    /^Array over size limit `10`\. {2}To raise the number of allowed elements, /,
  );
  expect(under(1e9).error?.message).toBe(
    'Array over size limit `1000`.  That is the most that Livefold allows for what it evaluates itself; to raise it, set `--max-array-limit` of the proxy.',
  );
});

const NINETY_THOUSAND = Array.from({ length: 90_000 }, (_, i) => ({
  id: i,
  n: (i * 7919) % 10_007,
  s: `row ${i % 4999}`,
}));

test.each([
  "x.orderBy('n')",
  "x.orderBy(r.desc('s'))",
  "x.orderBy(y => y('n').mul(-1))",
  "x.orderBy('s', r.desc('n'))",
])('%s over 90,000 rows takes less than a million steps', (order) => {
  const func = evaluate(`r.expr([]).map(x => ${order})`);
  const map = func.kind === 'call' ? func.args[1] : undefined;
  if (map?.kind !== 'call') throw new TypeError('a function');
  const context = outsideContext([], NOW);
  const sorted = pureFunction(map, context)([NINETY_THOUSAND]);
  expect(sorted).toHaveLength(90_000);
});

test('sorting by keys of one kind is sorting by keys of any', () => {
  const keys = [3, 1, 2, 1, -0, 0, 10, 2.5];
  const texts = ['b', 'a', '', 'ab', 'é', 'a', 'z'];
  for (const list of [keys, texts, [...texts, '😀', '\uffff', '\udc00'], [...keys, 'a', null, true]]) {
    const rows = list.map((k, id) => ({ id, k }));
    const more = [...rows, { id: rows.length }];
    for (const order of ["'k'", "r.desc('k')", "'k', r.desc('id')"]) {
      const ids = (extra: string): Datum | undefined =>
        outcomeOf(`r.expr(${JSON.stringify(more)})${extra}.orderBy(${order})('id')`).value;
      // A key of another kind makes all of them be compared as any are.
      const any = ids('.union([{id: 99, k: {}}])');
      expect(ids('')).toEqual(Array.isArray(any) ? any.filter((id) => id !== 99) : any);
    }
  }
});
