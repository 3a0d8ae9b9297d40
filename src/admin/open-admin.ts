// The admin server of a livefold, over all of its processes.

import type { Log } from '../../proxy/log.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { type AdminServer, startAdmin } from './admin-server.ts';
import { EventStreams } from './event-streams.ts';
import { type AdminProgram, Gathered } from './gathered.ts';
import { readPageFiles } from './page-files.ts';

/** An admin server, and what it tells. */
export interface OpenAdmin {
  readonly server: AdminServer;
  readonly gathered: Gathered;
}

/** The settings of the admin server. */
export interface OpenAdminSettings {
  readonly listen: Address;
  readonly token: string | undefined;
  readonly program: Omit<AdminProgram, 'hasToken'>;
  readonly log: Log;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Opens it. Rejects with the system's error where it cannot listen. */
export async function openAdmin({ listen, token, program, log }: OpenAdminSettings): Promise<OpenAdmin> {
  const gathered = new Gathered({ ...program, hasToken: token !== undefined });
  const streams = new EventStreams(() => gathered.status());
  const server = await startAdmin({
    listen,
    token,
    gathered,
    openEvents: (sink) => streams.open(sink),
    files: readPageFiles(),
    failed: (error) => log.error({ err: error }, 'the admin server could not answer'),
  });
  if (token === undefined && !LOOPBACK.has(listen.host)) {
    log.warn(
      { admin: printAddress(server.address) },
      'the admin server is open to others, and there is no --admin-token',
    );
  }
  return { server, gathered };
}
