// A child of the supervisor: a worker, which is given its clients, or the in-memory database.

import type { Logger } from 'pino';
import type { ProxyCore } from '../../proxy/index.ts';
import type { ProcessAdmin } from '../admin/process-admin.ts';
import type { ProcessIo, Superior } from '../command/process-io.ts';
import type { EmbeddedServer } from '../embedded/index.ts';
import type { Order } from './message.ts';

/**
 * A terminal, or whoever ends all processes of a service at once, sends signals to the children as well: when they end is the
 * supervisor's business.
 */
function leaveSignalsToTheSupervisor(around: ProcessIo): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) around.onSignal(signal, () => {});
}

/** Serves the clients that the supervisor hands over, until it says to stop, or is gone. */
export function workFor(
  supervisor: Superior,
  proxy: ProxyCore,
  log: Logger,
  around: ProcessIo,
  admin: ProcessAdmin | undefined,
): void {
  leaveSignalsToTheSupervisor(around);
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    log.info({ clients: proxy.clientCount }, 'stopping');
    void proxy
      .drain()
      .then(() => reportCounts(supervisor, admin))
      .then(() => around.exit(0));
  };
  type Obey = (order: Order, socket: Parameters<ProxyCore['take']>[0] | undefined) => void;
  const obey: { readonly [Kind in Order['kind']]: Obey } = {
    client(_order, socket) {
      supervisor.report({ kind: 'taken' });
      if (socket !== undefined) proxy.take(socket);
    },
    stop,
    reload: () => reload(proxy, log),
    ask(order) {
      if (order.kind !== 'ask') return;
      const { id, question } = order;
      void admin?.answer(question).then((answer) => supervisor.report({ kind: 'answer', id, answer }));
    },
  };
  admin?.watch(proxy);
  supervisor.onOrder((order, socket) => obey[order.kind](order, socket));
  supervisor.onGone(stop);
  supervisor.report({ kind: 'ready' });
}

/** Says what the worker has counted, which is nobody's to ask for once it has ended. */
async function reportCounts(supervisor: Superior, admin: ProcessAdmin | undefined): Promise<void> {
  if (admin === undefined) return;
  const metrics = await admin.answer({ about: 'metrics' });
  const status = await admin.answer({ about: 'status' });
  supervisor.report({ kind: 'counted', metrics, status });
}

/** Keeps the in-memory database until the supervisor says to stop, or is gone. */
export function keepDatabase(supervisor: Superior, database: EmbeddedServer, around: ProcessIo): void {
  leaveSignalsToTheSupervisor(around);
  const stop = (): void => void database.close().then(() => around.exit(0));
  supervisor.onOrder(({ kind }) => {
    if (kind === 'stop') stop();
  });
  supervisor.onGone(stop);
  supervisor.report({ kind: 'listening', address: database.address });
}

/** Reads certificates again, and says in the log whether that went well. */
export function reload(proxy: Pick<ProxyCore, 'reloadTls'>, log: Logger): void {
  try {
    proxy.reloadTls();
    log.info({}, 'certificates read again');
  } catch (error) {
    log.error({ err: error }, 'certificates not read again; the old ones stay');
  }
}
