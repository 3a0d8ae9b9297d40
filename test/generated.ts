// Everything that `npm run generate` writes, as it should be now. A test compares it with what is there.

import { adminTables } from '../scripts/admin-tables.ts';
import { aggregateIndex } from '../scripts/aggregate-index.ts';
import { aggregateTable } from '../scripts/aggregate-table.ts';
import type { Generated } from '../scripts/generated-file.ts';
import { goldenFiles } from './golden/golden-files.ts';

/** All generated files of the project at `root`. */
export function generated(root: string): readonly Generated[] {
  return [aggregateIndex(root), ...aggregateTable(root), ...goldenFiles(), ...adminTables()];
}
