// A table as queries see it: one of the catalog, or a system table.

import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import type { PermissionScope } from '../auth/users.ts';
import type { FeedRegistry } from '../feed/feed-registry.ts';
import type { TableStore } from '../storage/table-store.ts';
import type { TableEntry } from './catalog.ts';

export interface TableHandle {
  readonly name: string;
  /** `db.table`, as error texts show it. */
  readonly displayName: string;
  readonly primaryKey: string;
  /** The scope of what is granted on the table. */
  readonly scope: PermissionScope;
  readonly store: TableStore;
  readonly feeds: FeedRegistry;
  readonly info: () => DatumObject;
  /** The catalog's table; absent for system tables, which have no indexes and no hooks. */
  readonly entry: TableEntry | undefined;
  /** Where a write goes instead of the store: system tables act on it. Raises the error that the row gets. */
  readonly write?: (old: DatumObject | undefined, now: DatumObject | undefined) => void;
}
