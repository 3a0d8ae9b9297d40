// The bench's command line: what was typed as values. What it cannot read it throws as CommanderError, whose message is
// one line.

import { Command, InvalidArgumentError } from 'commander';
import type { Row } from './row.ts';

/** The time that all rows take, for people who wait: of a run on a machine of two cores. */
export const DURATION = { whole: 'about half an hour', quick: 'about four minutes' } as const;

/** The bench that is asked for. */
export interface Asked {
  readonly rows: readonly Row[];
  readonly quick: boolean;
  /** Print the names of rows, and measure nothing. */
  readonly list: boolean;
  /** dist/ is up to date. */
  readonly built: boolean;
  /** The folder of another build, with which this one is compared, and nothing else. */
  readonly against?: string | undefined;
}

interface Typed extends Omit<Asked, 'rows'> {
  readonly only?: readonly Row[];
}

/**
 * Reads what was typed.
 * @param all every row there is
 * @param compared the rows that compare two builds
 * @param print where help goes
 * @throws CommanderError with exit code 0 after help, another one for what cannot be read
 */
export function readCommand(
  args: readonly string[],
  all: readonly Row[],
  print: (text: string) => void,
  compared: readonly Row[] = [],
): Asked {
  const chosen = (text: string, before: readonly Row[] = []): readonly Row[] => {
    const names = text.split(',').map((name) => name.trim());
    return [...before, ...names.flatMap((name) => rowsCalled(name, [...all, ...compared]))];
  };
  const command = new Command('npm run bench --')
    .usage('[options]')
    .description(
      'Measures Livefold beside RethinkDB alone, HAProxy and a plain copy of bytes. RESULTS.md gets the table.',
    )
    .option('--only <names>', 'rows whose names begin so: a list with commas, or the option again', chosen)
    .option('--quick', `fewer and shorter rounds, ${DURATION.quick}; RESULTS.md stays as it is`, false)
    .option('--list', 'print the names of all rows', false)
    .option('--against <folder>', 'compare with the build in another folder, round by round; RESULTS.md stays as it is')
    .option('--built', 'dist/ is up to date: do not build it', false)
    .addHelpText('after', `\nAll rows take ${DURATION.whole}. The README says how to read the table.`)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: () => {} });
  const { only, ...rest }: Typed = command.parse(args, { from: 'user' }).opts();
  const possible = rest.against === undefined ? all : compared;
  const rows = only === undefined ? possible : possible.filter((row) => only.includes(row));
  const kind = rest.against === undefined ? 'is only measured with --against' : 'is measured with --against';
  if (only !== undefined && rows.length === 0) command.error(`error: none of these ${kind}; --list shows what is`);
  return { ...rest, rows };
}

function rowsCalled(name: string, all: readonly Row[]): readonly Row[] {
  const found = name === '' ? [] : all.filter((row) => row.name.startsWith(name));
  if (found.length === 0) throw new InvalidArgumentError(`no row is called '${name}'; --list shows them`);
  return found;
}
