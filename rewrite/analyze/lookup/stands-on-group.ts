// Whether what is watched is made of groups, and of which.

import type { Elements, GroupPart, Rows, Value } from '../../live.ts';

/** Whether elements are made of those of a group, however far below. */
export function standsOnGroup({ parts }: Elements): boolean {
  return parts.some((part) => {
    return part.kind === 'rows' ? rowsStandOnGroup(part.rows) : part.kind === 'group';
  });
}

/** The same of rows that are computed. */
export function rowsStandOnGroup({ of }: Rows): boolean {
  if ('parts' in of) return standsOnGroup(of);
  return of.kind === 'grouped' ? standsOnGroup(of.of) : valueStandsOnGroup(of);
}

function valueStandsOnGroup(value: Value): boolean {
  return value.kind === 'aggregate' ? standsOnGroup(value.of) : value.of.some(valueStandsOnGroup);
}

/** The groups that elements are of. */
export function groupParts({ parts }: Elements): readonly GroupPart[] {
  return parts.flatMap((part) => {
    if (part.kind === 'group') return [part];
    return part.kind === 'rows' && 'parts' in part.rows.of ? groupParts(part.rows.of) : [];
  });
}
