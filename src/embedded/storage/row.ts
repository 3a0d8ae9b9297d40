// A stored row. Rows are never changed, only replaced, so whoever holds one may keep it.

import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';

export interface Row {
  /** The primary key as sortable bytes. */
  readonly key: string;
  readonly value: DatumObject;
  /** The hash shard the row lives in, 0 to 7. */
  readonly shard: number;
}
