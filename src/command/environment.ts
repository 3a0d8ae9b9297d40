// The environment as part of the command line: each option is a variable as well.

import { PASSWORD_VARIABLE } from '../watch/watch-options.ts';
import { nearest } from './nearest.ts';
import { OPTION_TABLE } from './option-table.ts';
import { UsageError } from './usage-error.ts';

const PREFIX = 'LIVEFOLD_';

/**
 * What Kubernetes puts into every container for a service called `livefold`, or `livefold-` and more, and Docker for a linked
 * container: nobody has set it for the program. A port that somebody has set is a number.
 */
const OF_A_SERVICE = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const OF_A_SERVICE_AS_URL = /_PORT$/;

/** What people set who think of another program's variables. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['LIVEFOLD_PORT', 'LIVEFOLD_LISTEN'],
  ['LIVEFOLD_HOST', 'LIVEFOLD_LISTEN'],
  ['LIVEFOLD_BIND', 'LIVEFOLD_LISTEN'],
  ['LIVEFOLD_ADDRESS', 'LIVEFOLD_LISTEN'],
  ['LIVEFOLD_RETHINKDB', 'LIVEFOLD_UPSTREAM'],
  ['LIVEFOLD_SERVER', 'LIVEFOLD_UPSTREAM'],
]);

/**
 * The arguments, with what the environment says in front of them; what is typed wins.
 * @throws UsageError for a variable `LIVEFOLD_...` that is no option's
 */
export function withEnvironment(args: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  refuseUnknown(env);
  return [...inEnvironment(args, env).map(({ arg }) => arg), ...args];
}

/** What is said of a mistake behind its text: which variables set the options that the text names; empty where none does. */
export function environmentIn(text: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const named = new Set(text.match(/--[a-z][a-z-]*/g));
  const set = inEnvironment(args, env).filter(({ flag }) => named.has(flag));
  return set.length === 0 ? '' : ` (${set.map(({ flag, variable }) => `${variable} sets ${flag}`).join(', ')})`;
}

/** An option that the environment sets. */
interface SetOption {
  readonly flag: string;
  readonly variable: string;
  /** The option as an argument. */
  readonly arg: string;
}

/** The options that the environment sets, and the arguments do not. */
function inEnvironment(args: readonly string[], env: NodeJS.ProcessEnv): readonly SetOption[] {
  return OPTION_TABLE.flatMap((row) => {
    const [flag = '', placeholder] = row.flags.split(' ');
    const value = env[row.env];
    const typed = args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
    if (value === undefined || typed) return [];
    if (placeholder !== undefined) return [{ flag, variable: row.env, arg: `${flag}=${value}` }];
    // A switch is off where its value says so.
    return /^(0|false|no|off|)$/i.test(value) ? [] : [{ flag, variable: row.env, arg: flag }];
  });
}

/** A misspelt variable would be a setting that silently does not hold. */
function refuseUnknown(env: NodeJS.ProcessEnv): void {
  const known = [...OPTION_TABLE.map((row) => row.env), PASSWORD_VARIABLE];
  const unknown = Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && !known.includes(name) && !isOfAService(name, value ?? ''))
    .map(([name]) => name)
    .sort();
  const [first] = unknown;
  if (first === undefined) return;
  const others = unknown.length === 1 ? '' : `, nor ${unknown.slice(1).join(', ')}`;
  const meant = MEANT.get(first) ?? nearest(first, known);
  throw new UsageError(
    `${first} is no variable of livefold's${others}: did you mean ${meant}? livefold --help lists all`,
  );
}

function isOfAService(name: string, value: string): boolean {
  return OF_A_SERVICE.test(name) || (OF_A_SERVICE_AS_URL.test(name) && /^(?:tcp|udp|sctp):\/\//.test(value));
}
