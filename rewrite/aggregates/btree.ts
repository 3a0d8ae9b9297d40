// The B-tree of the sorted-btree library, a CommonJS module: Node gives its exports as the default import, bundlers (and
// Vitest) what the exports call default.

import imported from 'sorted-btree';

/** A sorted map. */
export const BTree = 'default' in imported ? imported.default : imported;
