// The admin server that the options ask for.

import type { Logger } from 'pino';
import { printAddress } from '../../proxy/upstream/address.ts';
import type { AdminProgram } from '../admin/gathered.ts';
import type { OpenAdmin } from '../admin/open-admin.ts';
import type { OptionValues } from './option-table.ts';
import { systemMistake } from './usage-error.ts';
import { versionOfPackage } from './version.ts';

/** Opens it; `undefined` where there is to be none. Rejects with UsageError where it cannot listen. */
export async function openAdminOf(
  { admin: listen, adminToken: token }: OptionValues,
  log: Logger,
  program: Omit<AdminProgram, 'hasToken' | 'version'>,
): Promise<OpenAdmin | undefined> {
  if (listen === undefined) return undefined;
  const { openAdmin } = await import('../admin/open-admin.ts');
  try {
    return await openAdmin({ listen, token, log, program: { ...program, version: versionOfPackage() } });
  } catch (error) {
    throw systemMistake(error, printAddress(listen)) ?? error;
  }
}
