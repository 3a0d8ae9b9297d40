// All terms that need the server, by number; over the evaluator's own they make up the language.

import { pureTerms, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import type { Users } from '../auth/users.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SystemTables } from '../catalog/system-tables.ts';
import { administrationTerms } from './administration.ts';
import { changesTerms } from './changes.ts';
import { databaseTerms } from './database.ts';
import { geometryTerms } from './geometry.ts';
import { grantTerms } from './grant.ts';
import { indexTerms } from './index-terms.ts';
import { insertTerms } from './insert.ts';
import { readTerms } from './read.ts';
import { replaceTerms } from './replace.ts';
import { tableTerms } from './table.ts';
import { unionTerms } from './union.ts';
import { unsupportedTerms } from './unsupported.ts';
import { writeHookTerms } from './write-hook.ts';

/** The parts of a server that its terms work on. */
export interface ServerParts {
  readonly catalog: Catalog;
  readonly users: Users;
  readonly system: SystemTables;
}

/** The whole language on one server. */
export function serverTerms({ catalog, users, system }: ServerParts): TermTable {
  return {
    ...pureTerms,
    ...databaseTerms(catalog),
    ...tableTerms(catalog, system),
    ...readTerms,
    ...insertTerms,
    ...replaceTerms,
    ...changesTerms,
    ...indexTerms,
    ...writeHookTerms,
    ...administrationTerms(catalog, system),
    ...grantTerms(users),
    ...geometryTerms,
    ...unsupportedTerms,
    ...unionTerms,
  };
}
