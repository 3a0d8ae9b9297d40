// Serving in this process: all of it, or the part of a child. The supervisor does without all that is imported here, which
// keeps it small.

import type { Logger } from 'pino';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { OpenFeed } from '../../proxy/relay/feed-port.ts';
import { keepDatabase, workFor } from '../processes/child.ts';
import type { Served } from '../processes/served.ts';
import { readAggregates } from './aggregates-file.ts';
import type { OptionValues } from './option-table.ts';
import { makeProxy, obeySignals, startEmbedded, startServing } from './serve.ts';
import type { Part, Surroundings } from './surroundings.ts';

/** Does the part of a child of the supervisor. Rejects with UsageError where something that it is told to use cannot be used. */
export async function serveAsChild(
  values: OptionValues,
  { assignment, supervisor }: Extract<Part, { readonly kind: 'child' }>,
  log: Logger,
  around: Surroundings,
): Promise<void> {
  if (assignment.role === 'database') {
    keepDatabase(supervisor, await startEmbedded(values, log), around);
    return;
  }
  const { database } = assignment;
  const upstreams = database === undefined ? (values.upstream ?? []) : [database];
  workFor(supervisor, makeProxy(values, upstreams, await feedsOf(values), log), log, around);
}

/** Serves alone. Rejects with UsageError where something that it is told to use cannot be used. */
export async function serveAlone(values: OptionValues, log: Logger, around: Surroundings): Promise<Served> {
  const running = await startServing(values, await feedsOf(values), log);
  let stopped = (): void => {};
  obeySignals(running, log, around, () => stopped());
  return {
    address: running.proxy.address,
    upstreams: running.upstreams,
    onStop(callback) {
      stopped = callback;
    },
  };
}

async function feedsOf(values: OptionValues): Promise<OpenFeed> {
  const {
    plan,
    share,
    lingerSeconds,
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
    healMs: healSeconds * 1000,
    now: Date.now,
  });
}
