// The supervisor: it opens the door, keeps workers and, where it is asked for, the in-memory database, and hears signals
// whatever they are busy with, since it evaluates nothing itself.

import type { Logger } from 'pino';
import { printAddress } from '../../proxy/upstream/address.ts';
import { openAdminOf } from '../command/admin-of-options.ts';
import type { OptionValues } from '../command/option-table.ts';
import type { Part, ProcessIo } from '../command/process-io.ts';
import { systemMistake } from '../command/usage-error.ts';
import { DatabaseProcess } from './database-process.ts';
import { FrontDoor } from './front-door.ts';
import { Pool } from './pool.ts';
import type { Served } from './served.ts';
import { WorkerProcess } from './worker-process.ts';

/** What a worker gets beyond the drain time to end by itself, and the database altogether. */
const MARGIN_MS = 2000;

/**
 * Starts what the options ask for, and obeys signals from then on: SIGTERM and SIGINT stop, SIGHUP puts new workers in the place
 * of the old ones, SIGUSR2 reads certificates again. `undefined` where a process could not start: it has said why, and the
 * program is about to end. Rejects with UsageError where it cannot listen.
 */
export async function supervise(
  values: OptionValues,
  part: Extract<Part, { readonly kind: 'supervisor' }>,
  log: Logger,
  around: ProcessIo,
): Promise<Served | undefined> {
  const failed = (code: number | null, complaint: string): undefined => {
    around.complain(complaint === '' ? `livefold: a process ended with code ${code} at its start` : complaint);
    around.exit(code ?? 1);
  };
  const inMemory = values.upstream === undefined;
  const database = inMemory ? new DatabaseProcess(part.start({ role: 'database' })) : undefined;
  const start = await database?.started;
  if (start !== undefined && !('address' in start)) return failed(start.code, start.complaint);
  const door = await openDoor(values, () => database?.kill());
  door.onError((error) => log.error({ err: error }, 'listener failed'));

  let last = 0;
  const pool = new Pool({
    count: values.workers,
    door,
    log,
    stopMs: values.drainSeconds * 1000 + MARGIN_MS,
    ended: (worker) => admin?.gathered.left(worker),
    start() {
      last++;
      const at = start === undefined ? {} : { database: start.address };
      return new WorkerProcess(last, part.start({ role: 'worker', id: last, ...at }));
    },
  });
  let stopping = false;
  const admin = await openAdminOf(values, log, {
    isStopping: () => stopping,
    members: () => pool.workers,
    deaths: () => pool.deaths,
  }).catch((error) => {
    database?.kill();
    throw error;
  });
  const down = await pool.open();
  if (down !== undefined) {
    database?.kill();
    return failed(down.exit.code, down.complaint);
  }

  let stopped = (): void => {};
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    around.onSignal(signal, () => {
      if (stopping) {
        log.warn({ signal }, 'stopping at once');
        pool.kill();
        database?.kill();
        around.exit(1);
        return;
      }
      stopping = true;
      stopped();
      log.info({ signal }, 'stopping');
      void door
        .close()
        .then(() => pool.stop())
        .then(async (inGoodOrder) => {
          await database?.stop(MARGIN_MS);
          around.exit(inGoodOrder ? 0 : 1);
        });
    });
  }
  around.onSignal('SIGHUP', () => void pool.restart());
  around.onSignal('SIGUSR2', () => pool.reload());
  void database?.ended.then(() => {
    if (stopping) return;
    log.error({}, 'the in-memory database died, and its data with it');
    pool.kill();
    around.exit(1);
  });
  return {
    address: door.address,
    admin: admin?.server.address,
    upstreams: start === undefined ? (values.upstream ?? []) : [start.address],
    onStop(callback) {
      stopped = callback;
    },
  };
}

async function openDoor(values: OptionValues, giveUp: () => void): Promise<FrontDoor> {
  try {
    return await FrontDoor.open(values.listen, values.reusePort === true);
  } catch (error) {
    giveUp();
    throw systemMistake(error, printAddress(values.listen)) ?? error;
  }
}
