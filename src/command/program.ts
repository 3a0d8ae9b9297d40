// The command line: what was typed, or set in the environment, as values. Knows what the options are and nothing of what
// they do.

import { Command, Option } from 'commander';
import { canReusePort } from '../../proxy/listen.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import type { StatusValues } from '../status/tell-status.ts';
import { PASSWORD_VARIABLE, WATCH_OPTIONS, type WatchValues } from '../watch/watch-options.ts';
import { readIndex, type ToldIndexes } from './known-index.ts';
import { OPTION_TABLE, type OptionRow, type OptionValues } from './option-table.ts';
import { UsageError } from './usage-error.ts';

/** The options of `explain`. */
export interface ExplainValues extends Pick<OptionValues, 'plan' | 'aggregates' | 'share'> {
  /** Sample rows: a file of them, or JSON. */
  readonly check?: string;
  /** What indexes hold. */
  readonly index?: ToldIndexes;
  /** The whole text that RethinkDB gets. */
  readonly full?: boolean;
}

/** The actions that the program can be asked for. */
export interface Actions {
  serve(values: OptionValues): void;
  health(values: OptionValues): void;
  status(values: OptionValues, own: StatusValues): void;
  explain(text: string, values: ExplainValues): void;
  watch(query: string, values: WatchValues): void;
}

/**
 * Builds the program; `print` is where help goes. It calls one of the actions when it parses; what it cannot read it
 * throws as CommanderError or UsageError.
 */
export function buildProgram(version: string, actions: Actions, print: (line: string) => void): Command {
  const program = new Command('livefold')
    .description(
      'A proxy before RethinkDB that makes aggregates live. It needs one of --upstream, --embedded and --demo.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: () => {} })
    .allowExcessArguments()
    .action(() => {
      const [word] = program.args;
      if (word !== undefined) throw new UsageError(`unknown command '${word}'`);
      const values: OptionValues = program.opts();
      check(values);
      actions.serve(values);
    });
  for (const row of OPTION_TABLE) program.addOption(optionOf(row));
  program
    .command('health')
    .description('say whether a livefold on this machine serves (exit code 1 if not)')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      '\nIt asks where --address-file says, or else at --listen, with TLS where --tls-cert is given.\nWhether upstream can be reached is no part of the answer: the log says so.',
    )
    .action(() => actions.health(program.opts()));
  program
    .command('status')
    .description('print what a livefold does: its upstream servers, workers, feeds and clients')
    .allowExcessArguments(false)
    .option('--json', 'print the document as it is')
    .addHelpText(
      'after',
      '\nIt asks at --admin, with --admin-token where that is set, or where --address-file says. The exit code is 1 while no\nupstream server answers.',
    )
    .action((own: StatusValues) => actions.status(program.opts(), own));
  program
    .command('explain')
    .description('say what a query becomes, or why it is left alone or refused (exit code 1)')
    .allowExcessArguments(false)
    .argument(
      '<query>',
      'ReQL as one writes it in JavaScript, e.g. "r.table(\'orders\').count().changes()", or a query as JSON, "[1, ...]"',
    )
    .option(
      '--check <rows>',
      'try the reductions of the query on sample rows, a JSON file or JSON itself; exit code 1 if a law fails',
    )
    .option('--full', 'print the whole ReQL that RethinkDB gets; it evaluates to the very term')
    .option(
      '--index <table.index=fields>',
      'what an index holds, since no server is asked: t.k=k, t.place=city,street, t.tags=tags:multi, or t.f= for a function; repeat for several',
      readIndex,
    )
    .addHelpText('after', '\n--plan, --aggregates and --no-share, as for the proxy, count here too.')
    .action((text: string, own: Pick<ExplainValues, 'check' | 'index' | 'full'>) => {
      const { plan, aggregates, share }: OptionValues = program.opts();
      actions.explain(text, { plan, share, ...own, ...(aggregates === undefined ? {} : { aggregates }) });
    });
  const watch = program
    .command('watch')
    .description(
      'show what a query shows, as it changes: drawn in place, or a JSON document a line where output is piped',
    )
    .allowExcessArguments(false)
    .argument('<query>', 'ReQL as for explain; without `changes` it gets them')
    .addHelpText(
      'after',
      `\nThe password of --user is read from --password-file, or else from ${PASSWORD_VARIABLE}.\nCtrl-C ends the feed.`,
    )
    .action((text: string, own: WatchValues) => actions.watch(text, own));
  for (const row of WATCH_OPTIONS) watch.addOption(optionOf(row));
  return program;
}

function optionOf(row: OptionRow | Omit<OptionRow, 'env'>): Option {
  const option = new Option(row.flags, 'env' in row ? `${row.description} [${row.env}]` : row.description);
  if (row.choices !== undefined) option.choices([...row.choices]);
  if (row.read !== undefined) option.argParser(row.read);
  if (row.fallback !== undefined) option.default(...row.fallback);
  return option;
}

/** Names of this machine, and those of all its addresses at once. */
const LOCAL: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
const ANY: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether a connection to `upstream` would surely come back to the one who listens, and so on without end. */
function isSame(upstream: Address, listen: Address): boolean {
  if (upstream.port !== listen.port || listen.port === 0) return false;
  const local = LOCAL.has(upstream.host) && (LOCAL.has(listen.host) || ANY.has(listen.host));
  return local || upstream.host === listen.host;
}

/** What no single option can tell. */
function check(values: OptionValues): void {
  const { upstream, embedded = false, demo = false } = values;
  const inMemory = embedded || demo;
  const rules: readonly (readonly [broken: boolean, message: string])[] = [
    [upstream !== undefined && embedded, '--upstream and --embedded exclude each other'],
    [upstream !== undefined && demo, '--upstream and --demo exclude each other'],
    [embedded && demo, '--embedded and --demo exclude each other'],
    [
      values.reusePort === true && !canReusePort(process.version),
      `--reuse-port needs Node 22.12, or 23.1, or newer; this is ${process.version}`,
    ],
    [values.embeddedListen !== undefined && !inMemory, '--embedded-listen needs --embedded or --demo'],
    [values.embeddedPassword !== undefined && !embedded, '--embedded-password needs --embedded'],
    [values.adminToken !== undefined && values.admin === undefined, '--admin-token needs --admin'],
    [values.adminToken === '', '--admin-token is empty'],
    [values.admin !== undefined && isSame(values.admin, values.listen), '--admin is the address of --listen'],
    [(values.tlsCert === undefined) !== (values.tlsKey === undefined), '--tls-cert and --tls-key need each other'],
    [values.tlsClientCa !== undefined && values.tlsCert === undefined, '--tls-client-ca needs --tls-cert'],
    [values.tlsCert !== undefined && demo, '--demo does without TLS'],
    [values.proxyProtocol === true && demo, '--demo does without the PROXY protocol'],
    [values.upstreamCa !== undefined && values.upstreamTls !== true, '--upstream-ca needs --upstream-tls'],
    [
      values.upstreamServerName !== undefined && values.upstreamTls !== true,
      '--upstream-server-name needs --upstream-tls',
    ],
    [values.upstreamTls === true && upstream === undefined, '--upstream-tls needs --upstream'],
    [
      upstream?.some((each) => isSame(each, values.listen)) === true,
      '--upstream is the address that livefold itself listens on',
    ],
    [
      upstream === undefined && !inMemory,
      'there is no database to serve: give --upstream HOST:PORT (or LIVEFOLD_UPSTREAM) for a RethinkDB, --embedded for an in-memory one, or --demo for a look',
    ],
  ];
  const rule = rules.find(([broken]) => broken);
  if (rule !== undefined) throw new UsageError(rule[1]);
}
