import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { type Asked, readCommand } from '../../bench/command.ts';
import type { Row } from '../../bench/row.ts';

const row = (name: string): Row => ({
  name,
  title: name,
  metrics: [],
  prepare: () => Promise.resolve({ lanes: [], rounds: 1, claims: [] }),
});
const rows = [row('reads'), row('ready-count'), row('ready-sum'), row('updates')];

function read(...args: readonly string[]): Asked {
  return readCommand(args, rows, () => {});
}

function namesOf({ rows: chosen }: Asked): readonly string[] {
  return chosen.map(({ name }) => name);
}

function refusal(...args: readonly string[]): string {
  try {
    read(...args);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

test('without options all rows are measured', () => {
  expect(read()).toEqual({ rows, quick: false, list: false, built: false });
});

test.each([
  [
    ['--only', 'ready'],
    ['ready-count', 'ready-sum'],
  ],
  [
    ['--only', 'updates,ready-sum'],
    ['ready-sum', 'updates'],
  ],
  [
    ['--only', 'updates', '--only=ready-sum', '--only', 'ready'],
    ['ready-count', 'ready-sum', 'updates'],
  ],
])('%j measures %j, in the order of the table', (args, names) => {
  expect(namesOf(read(...args))).toEqual(names);
});

test.each([
  [['--only', 'nope'], "no row is called 'nope'; --list shows them"],
  [['--only', 'reads,nope'], "no row is called 'nope'"],
  [['--only', 'reads,'], "no row is called ''"],
  [['--only'], 'argument missing'],
  [['--only', 'reads', '--against', 'x'], 'none of these is measured with --against; --list shows what is'],
  [['--quik'], "unknown option '--quik'"],
  [['reads'], 'too many arguments'],
])('%j is refused in words', (args, words) => {
  expect(refusal(...args)).toContain(words);
});

test('help is printed whole, and says how long a run takes', () => {
  const printed: string[] = [];
  expect(() => readCommand(['--help'], rows, (text) => printed.push(text))).toThrow(
    expect.objectContaining({ exitCode: 0 }),
  );
  expect(printed.join('\n')).toMatch(/--only <names>[\s\S]*--quick[\s\S]*minutes/);
});
