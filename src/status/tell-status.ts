// `livefold status`: asks the admin server of a livefold that runs what it does, and prints it as tables.

import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import type { Status } from '../admin/status.ts';
import { keptListening } from '../command/health.ts';
import type { OptionValues } from '../command/option-table.ts';
import { ownAddress } from '../command/own-address.ts';
import type { ProcessIo } from '../command/process-io.ts';
import { UsageError } from '../command/usage-error.ts';
import { painted } from '../terminal/palette.ts';
import { statusLines } from './status-lines.ts';

const PATIENCE_MS = 5000;

/** The options of `status`. */
export interface StatusValues {
  /** The document as it is. */
  readonly json?: boolean;
}

/** Prints the status: exit code 1 where there is none, or it is not ready. Rejects with UsageError where no address is given. */
export async function tellStatus(
  values: OptionValues,
  { json = false }: StatusValues,
  around: ProcessIo,
): Promise<void> {
  const { adminToken, addressFile } = values;
  const admin = values.admin ?? keptListening(addressFile)?.admin;
  if (admin === undefined) throw new UsageError('status needs --admin HOST:PORT, as livefold itself was given it');
  const text = await askFor(ownAddress(admin), adminToken);
  const status: Status = JSON.parse(text);
  const { terminal } = around.output;
  if (json) around.print(text.trimEnd());
  else {
    const columns = terminal?.size().columns ?? Number.POSITIVE_INFINITY;
    for (const line of statusLines(status, columns))
      around.print(painted(line, terminal?.hasColours === true).trimEnd());
  }
  around.exit(status.readiness.ready ? 0 : 1);
}

async function askFor(address: Address, token: string | undefined): Promise<string> {
  const where = printAddress(address);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://${where}/api/status`, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    (error: unknown) => {
      throw new Error(`cannot ask ${where}: ${reasonOf(error)}`);
    },
  );
  const text = await answer.text();
  if (answer.ok) return text;
  if (answer.status === 401) throw new Error(`${where} wants the right --admin-token`);
  throw new Error(`${where} answers ${answer.status}: ${text.trim()}`);
}

/** What `fetch` says is that it failed; why, its cause says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
