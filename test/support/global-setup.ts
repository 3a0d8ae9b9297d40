// Gives all test files of one run the same real RethinkDB, and says at the end by name what could not be tested without.

import type { TestProject } from 'vitest/node';
import type { Address } from '../../proxy/upstream/address.ts';
import { isOnPath, PROGRAMS } from './servers/programs.ts';
import { findRethinkdb } from './servers/rethinkdb.ts';
import { realServerNames } from './servers/server-names.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the real RethinkDB is; `null` where there is none. */
    rethinkdb: Address | null;
  }
}

/** Called by vitest before the first test file; what it returns, after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = await findRethinkdb();
  if ('server' in found) {
    project.provide('rethinkdb', found.server.address);
    return async () => {
      await found.server.stop();
      tellMissingPrograms();
    };
  }
  project.provide('rethinkdb', null);
  return async () => {
    tellMissingPrograms();
    const names = realServerNames.map((name) => `"${name}"`).join(', ');
    process.stdout.write(`Not there, and skipped: ${names} (${found.reasons.join('; ')})\n`);
  };
}

function tellMissingPrograms(): void {
  const missing = PROGRAMS.filter((program) => !isOnPath(program));
  if (missing.length > 0) process.stdout.write(`Not on the PATH, and skipped what needs them: ${missing.join(', ')}\n`);
}
