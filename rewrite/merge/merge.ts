import type { Datum } from '../reql/data/datum.ts';

/**
 * How one value becomes another, as JSON. What is no object replaces. An object is merged key by key; `{_delete: true}` takes away
 * what is there, `{_delete: true, a: 1}` replaces it by `{a: 1}`, `{_delete: {}}` by `{}`. Keys of data that are called `_delete`,
 * `__delete`, ... have one underscore more. Arrays and pseudo-types are values: they replace, and stand as they are.
 */
export type Merge = Datum;
