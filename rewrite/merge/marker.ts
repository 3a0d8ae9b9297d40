// The one reserved key of merges. `{_delete: true}` takes away what is there; beside other keys it says that these are merged into
// nothing, so that they replace what is there. `{_delete: {}}` leaves an empty object. A key of data that is called `_delete`,
// `__delete`, ... has one underscore more in a merge.

import { fieldOf } from './fields.ts';
import { type Fields, isPlain } from './plain.ts';

export const MARKER = '_delete';

/** The merge that takes away. */
export const TAKEN: Fields = Object.freeze({ [MARKER]: true });
/** The merge that leaves an empty object. */
export const EMPTIED: Fields = Object.freeze({ [MARKER]: Object.freeze({}) });

/** The reset of a value before a merge's keys are merged in. */
export type Reset = 'nothing' | 'empty';

/**
 * What the marker of a merge says; `undefined` where it has none.
 * @throws TypeError for a marker that is neither true nor an empty object
 */
export function resetOf(merge: Fields): Reset | undefined {
  const marker = fieldOf(merge, MARKER);
  if (marker === undefined) return undefined;
  if (marker === true) return 'nothing';
  if (isPlain(marker) && Object.keys(marker).length === 0) return 'empty';
  throw new TypeError(
    'In a merge `_delete` is true, or {} where an empty object is left. A field called `_delete` is written `__delete`.',
  );
}

const LIKE_MARKER = /^_+delete$/;

/** The key in a merge that stands for a key of data. */
export function mergeKeyOf(key: string): string {
  return isLikeMarker(key) ? `_${key}` : key;
}

/** The key of data that a key of a merge, not the marker, stands for. */
export function dataKeyOf(key: string): string {
  return isLikeMarker(key) ? key.slice(1) : key;
}

function isLikeMarker(key: string): boolean {
  return key.startsWith('_') && LIKE_MARKER.test(key);
}
