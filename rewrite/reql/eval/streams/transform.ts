// Transformations of each element of a stream on its way: `map`, `filter`, `concatMap`, `zip`. Data, so that a changefeed
// can look at what stands between it and a table.

import type { Datum } from '../../data/datum.ts';
import type { Origin } from '../../origin.ts';
import type { Func } from '../core/func.ts';

/** A transformation of the elements of a stream. */
export interface Transform {
  readonly kind: 'map' | 'filter' | 'concatMap' | 'skipMap' | 'zip' | 'distinct';
  /** The functions that run per element; a changefeed refuses those that are not deterministic. */
  readonly functions: readonly Func[];
  /** The term that made the transformation. */
  readonly origin: Origin | undefined;
  /** Gives all that comes of an element to `emit`, in order. */
  apply(element: Datum, emit: (element: Datum) => void): void;
}
