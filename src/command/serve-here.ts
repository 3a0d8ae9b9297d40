// Serving in this process: all of it, or the part of a child. The supervisor does without all that is imported here, which
// keeps it small.

import type { Logger } from 'pino';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { OpenFeed } from '../../proxy/relay/feed-port.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import type { Member } from '../admin/gathered.ts';
import type { ProcessAdmin } from '../admin/process-admin.ts';
import { keepDatabase, workFor } from '../processes/child.ts';
import type { Served } from '../processes/served.ts';
import { openAdminOf } from './admin-of-options.ts';
import { readAggregates } from './aggregates-file.ts';
import type { OptionValues } from './option-table.ts';
import type { Part, ProcessIo } from './process-io.ts';
import { makeProxy, obeySignals, type Running, startEmbedded, startServing } from './serve.ts';

/** Does the part of a child of the supervisor. Rejects with UsageError where something that it is told to use cannot be used. */
export async function serveAsChild(
  values: OptionValues,
  { assignment, supervisor }: Extract<Part, { readonly kind: 'child' }>,
  log: Logger,
  around: ProcessIo,
): Promise<void> {
  if (assignment.role === 'database') {
    keepDatabase(supervisor, await startEmbedded(values, log), around);
    return;
  }
  const { database } = assignment;
  const upstreams = database === undefined ? (values.upstream ?? []) : [database];
  const tell = (): void => supervisor.report({ kind: 'upstreams', upstreams: admin?.upstreams ?? [] });
  const admin = (await adminMaker(values, assignment.id, tell))(upstreams);
  const proxy = makeProxy(values, upstreams, await feedsOf(values), log, admin);
  workFor(supervisor, proxy, log, around, admin);
}

/** Serves alone. Rejects with UsageError where something that it is told to use cannot be used. */
export async function serveAlone(values: OptionValues, log: Logger, around: ProcessIo): Promise<Served> {
  const makeAdmin = await adminMaker(values, 0, () => {});
  const running = await startServing(values, await feedsOf(values), log, makeAdmin);
  let isStopping = false;
  let stopped = (): void => {};
  obeySignals(running, log, around, () => {
    isStopping = true;
    stopped();
  });
  return {
    address: running.proxy.address,
    admin: await openOwnAdmin(values, running, log, () => isStopping),
    upstreams: running.upstreams,
    onStop(callback) {
      stopped = callback;
    },
  };
}

type MakeAdmin = (upstreams: readonly Address[]) => ProcessAdmin | undefined;

/** Makes the admin's end of this process where `--admin` asks for it: else nothing of it is loaded. */
async function adminMaker(values: OptionValues, id: number, changed: () => void): Promise<MakeAdmin> {
  if (values.admin === undefined) return () => undefined;
  const { ProcessAdmin } = await import('../admin/process-admin.ts');
  return (upstreams) => new ProcessAdmin(id, upstreams, changed);
}

/** Opens the admin server of a process that serves alone. */
async function openOwnAdmin(
  values: OptionValues,
  { proxy, embedded, admin }: Running,
  log: Logger,
  isStopping: () => boolean,
): Promise<Address | undefined> {
  if (admin === undefined) return undefined;
  const member: Member = {
    id: 0,
    isStopping: false,
    ask: (question) => admin.answer(question),
    get upstreams() {
      return admin.upstreams;
    },
  };
  try {
    const opened = await openAdminOf(values, log, { isStopping, members: () => [member], deaths: () => 0 });
    admin.watch(proxy);
    return opened?.server.address;
  } catch (error) {
    await proxy.destroy();
    await embedded?.close();
    throw error;
  }
}

async function feedsOf(values: OptionValues): Promise<OpenFeed> {
  const {
    plan,
    share,
    lingerSeconds,
    historyDocuments,
    healSeconds,
    maxStateRows,
    maxStateBytes,
    maxSteps,
    maxArrayLimit,
    aggregates: file,
  } = values;
  const aggregates = await readAggregates(file);
  return createOpenFeed({
    plan,
    limits: { maxStateRows, maxStateBytes },
    evaluation: { maxSteps, maxArrayLimit },
    aggregates,
    share,
    lingerMs: lingerSeconds * 1000,
    historyDocuments,
    healMs: healSeconds * 1000,
    now: Date.now,
  });
}
