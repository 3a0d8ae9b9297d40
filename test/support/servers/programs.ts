// Programs on the PATH that some tests need.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs besides `rethinkdb`; what is tested with one is not tested where it is missing. */
export const PROGRAMS = ['haproxy', 'prometheus', 'promtool', 'systemd-analyze'] as const;

/** Whether there is a program of that name. */
export function isOnPath(program: (typeof PROGRAMS)[number]): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
