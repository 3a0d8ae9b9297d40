// Everything that `npm run generate` writes, as it should be now. A test compares it with what is there.

import { adminTables } from './admin-tables.ts';
import { aggregateIndex } from './aggregate-index.ts';
import { aggregateTable } from './aggregate-table.ts';
import type { Generated } from './generated-file.ts';
import { goldenFiles } from './golden.ts';

/** All generated files of the project at `root`. */
export function generated(root: string): readonly Generated[] {
  return [aggregateIndex(root), ...aggregateTable(root), ...goldenFiles(), ...adminTables()];
}
