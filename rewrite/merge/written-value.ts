// A value as it is written in a merge: its keys that look like the marker have one underscore more.

import { isFields, putField } from './fields.ts';
import { EMPTIED, MARKER, mergeKeyOf, TAKEN } from './marker.ts';
import type { Fields } from './plain.ts';

/** The merge that makes a value of nothing, or of anything that is no object; the same object where nothing has to be changed. */
export function writtenValue(value: unknown, level: number): unknown {
  if (!isFields(value, level)) return value;
  let copy: Record<string, unknown> | undefined;
  const keys = Object.keys(value);
  for (const [at, key] of keys.entries()) {
    const field = value[key];
    const written = writtenValue(field, level + 1);
    const name = mergeKeyOf(key);
    if (copy === undefined && (written !== field || name !== key || field === undefined)) {
      copy = {};
      for (const before of keys.slice(0, at)) putField(copy, before, value[before]);
    }
    if (copy !== undefined && field !== undefined) putField(copy, name, written);
  }
  return copy ?? value;
}

/** The merge that replaces whatever is there by what is written; by nothing, where that is `undefined`. */
export function replacing(written: unknown, level: number): unknown {
  if (written === undefined) return TAKEN;
  if (!isFields(written, level)) return written;
  return Object.keys(written).length === 0 ? EMPTIED : marked(written);
}

function marked(written: Fields): Fields {
  return { [MARKER]: true, ...written };
}
