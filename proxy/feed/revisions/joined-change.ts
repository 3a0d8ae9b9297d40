// Two changes of one thing, one after the other, as one.

import { sameSide } from '../operator/difference.ts';
import type { Change } from '../subscription/documents.ts';

/** The change from before the first to after the second. Of outputs, each tells of one. */
export function joinedChange(first: Change, second: Change): Change {
  if (first.kind === 'change' && second.kind === 'change') {
    const { now, copies } = second;
    const counted = copies === undefined ? {} : { copies: { old: first.copies?.old ?? copies.old, now: copies.now } };
    return { ...first, ...counted, ...placeOf(second), now };
  }
  if (first.kind === 'outputs' && second.kind === 'outputs') {
    const [{ before }] = first.changed;
    const [change] = second.changed;
    return { ...first, ...placeOf(second), changed: [{ ...change, before }] };
  }
  throw new TypeError('outputs among other changes');
}

/** Whether all is as it was. */
export function isNothing(change: Change): boolean {
  if (change.kind === 'change') return sameSide(change.old, change.now);
  const [{ before, after }] = change.changed;
  return before === after;
}

function placeOf({ at }: Change): Pick<Change, 'at'> {
  return at === undefined ? {} : { at };
}
