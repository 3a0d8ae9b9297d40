// The values under a group that are the same for all groups: those that do not depend on the elements of the group.

import type { Elements, Part, Rows, Value } from '../../../rewrite/live.ts';

/** Whether a value is another one in each group. */
export function usesGroup(value: Value): boolean {
  return value.kind === 'aggregate' ? elementsUseGroup(value.of) : value.of.some(usesGroup);
}

function elementsUseGroup({ parts }: Elements): boolean {
  return parts.some(partUsesGroup);
}

function partUsesGroup(part: Part): boolean {
  switch (part.kind) {
    case 'source':
    case 'join':
    case 'incomparable':
      return false;
    case 'group':
      return true;
    case 'rows':
      return rowsUseGroup(part.rows);
    case 'failing':
      return elementsUseGroup(part.of.of);
  }
}

function rowsUseGroup(rows: Rows): boolean {
  switch (rows.kind) {
    case 'flat':
      return usesGroup(rows.of);
    case 'ungroup':
      return elementsUseGroup(rows.of.of);
    case 'distinct':
    case 'top':
    case 'listed':
      return elementsUseGroup(rows.of);
  }
}

/** The largest parts of a group's value that all groups share. */
export function outermostShared(value: Value): readonly Value[] {
  if (!usesGroup(value)) return [value];
  return value.kind === 'expression' ? value.of.flatMap(outermostShared) : [];
}
