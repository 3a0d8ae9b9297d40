// `livefold watch`: what a query shows, as it changes. On a terminal it is drawn in place; elsewhere each document is a line of JSON.

import { readFileSync } from 'node:fs';
import { problemOf, UpstreamTls } from '../../proxy/tls.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { type Batch, Client, type ClientSettings, HandshakeEnded } from '../client/client.ts';
import { ServerError } from '../client/server-error.ts';
import type { ProcessIo } from '../command/process-io.ts';
import { UsageError } from '../command/usage-error.ts';
import { errorLines } from './error-text.ts';
import { hintOn } from './hint.ts';
import { Picture } from './picture.ts';
import { PASSWORD_VARIABLE, type WatchValues } from './watch-options.ts';
import { watchedQuery } from './watched-query.ts';

/** How long a server may take to say that a feed has ended. */
const STOP_MS = 2000;

/**
 * Watches a query until it ends, or a signal comes, or nobody reads any more; exit code 1 where it fails. Rejects with UsageError for
 * what cannot be read.
 */
export async function watchQuery(text: string, values: WatchValues, around: ProcessIo): Promise<void> {
  const { terminal } = around.output;
  const query = watchedQuery(text, terminal === undefined ? 'lines' : 'picture', values.db);
  const settings = settingsOf(values, around);
  let stop = (): void => around.exit(0);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) around.onSignal(signal, () => stop());
  around.output.onGone(() => stop());
  const picture = terminal === undefined ? undefined : new Picture(terminal, query, sourceOf(values));
  const client = await connected(values.connect, settings);
  const feed = client.open(query.json, picture?.take ?? linesTo(around));
  stop = () => {
    feed.stop();
    stop = () => client.close();
    setTimeout(stop, STOP_MS).unref();
  };
  const failure = await feed.ended.then(
    () => undefined,
    (error: unknown) => error,
  );
  const hint = failure instanceof ServerError ? await hintOn(failure, client, query.json, values.connect) : undefined;
  client.close();
  picture?.close();
  if (failure === undefined) {
    around.exit(0);
    return;
  }
  if (!(failure instanceof ServerError)) throw failure;
  for (const line of errorLines(failure, query.term)) around.complain(line);
  if (hint !== undefined) around.complain(hint);
  around.exit(1);
}

function linesTo({ output }: ProcessIo): (batch: Batch) => Promise<void> | undefined {
  return ({ documents }) => {
    if (documents.length === 0) return undefined;
    return output.write(documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
  };
}

function sourceOf({ user, connect }: WatchValues): string {
  return `${user}@${printAddress(connect)}`;
}

function settingsOf({ user, passwordFile, tls = false, ca, connect }: WatchValues, { env }: ProcessIo): ClientSettings {
  const password = passwordFile === undefined ? (env[PASSWORD_VARIABLE] ?? '') : readSecret(passwordFile);
  const credentials = { user, password };
  if (!tls && ca === undefined) return { credentials };
  try {
    return { credentials, tls: new UpstreamTls({ ca }).connectOptions(connect.host) };
  } catch (error) {
    throw new UsageError(`cannot use ${ca}: ${messageOf(error)}`);
  }
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`cannot read the password: ${messageOf(error)}`);
  }
}

async function connected(address: Address, settings: ClientSettings): Promise<Client> {
  try {
    return await Client.connect(address, settings);
  } catch (error) {
    const hint = settings.tls === undefined && error instanceof HandshakeEnded ? WANTS_TLS : '';
    throw new Error(`cannot connect to ${printAddress(address)}: ${messageOf(error)}${hint}`);
  }
}

/** What a server that speaks TLS alone does to whoever does not, and hardly another. */
const WANTS_TLS = ' If it speaks TLS, give --tls or --ca FILE.';

function messageOf(error: unknown): string {
  return error instanceof Error ? problemOf(error) : String(error);
}
