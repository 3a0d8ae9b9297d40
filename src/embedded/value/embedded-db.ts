// A database as a value of ReQL.

import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { Db } from '../../../rewrite/reql/eval/core/value.ts';
import { type PermissionScope, SYSTEM_DATABASE_ID } from '../auth/users.ts';
import type { DatabaseEntry } from '../catalog/catalog.ts';

export class EmbeddedDb extends Db {
  readonly name: string;
  /** The catalog's database; absent for the one that holds the system tables. */
  readonly entry: DatabaseEntry | undefined;

  constructor(name: string, entry: DatabaseEntry | undefined) {
    super();
    this.name = name;
    this.entry = entry;
  }

  /** The scope of what is granted on the database. */
  get scope(): PermissionScope {
    return { database: this.entry?.id ?? SYSTEM_DATABASE_ID };
  }

  override info(): DatumObject {
    return { id: this.entry?.id ?? SYSTEM_DATABASE_ID, name: this.name };
  }
}
