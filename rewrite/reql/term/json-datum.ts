// JSON as data: what `[1, value]` means to the server, and what `r.json` gives.

import { type Datum, type DatumObject, setField } from '../data/datum.ts';
import { stringText } from '../data/json-text.ts';
import { finite } from '../data/number.ts';
import { logicError } from '../error.ts';
import type { Json } from './json.ts';

/** What becomes of arrays and objects when all that is in them is made. May raise errors without an origin. */
export interface Finish {
  readonly array: (array: readonly Datum[]) => Datum;
  readonly object: (object: DatumObject) => Datum;
}

/** Arrays and objects as they are written. */
export const AS_WRITTEN: Finish = { array: (array) => array, object: (object) => object };

interface Making {
  readonly json: Exclude<Json, { readonly kind: 'scalar' }>;
  readonly array: Datum[];
  readonly object: Record<string, Datum>;
  /** How many items or fields are made. */
  made: number;
}

/**
 * The datum that a JSON value stands for, at any depth, from its leaves up, so that the first fault is the server's. Raises
 * QUERY_LOGIC without an origin for repeated keys and numbers too large for a double.
 */
export function toDatum(root: Json, finish: Finish): Datum {
  const open: Making[] = [];
  let json = root;
  for (;;) {
    let datum: Datum;
    if (json.kind === 'scalar') {
      datum = typeof json.value === 'number' ? finite(json.value) : json.value;
    } else {
      const making: Making = { json, array: [], object: {}, made: 0 };
      const first = part(making);
      if (first !== undefined) {
        open.push(making);
        json = first;
        continue;
      }
      datum = finished(making, finish);
    }
    for (;;) {
      const parent = open.at(-1);
      if (parent === undefined) return datum;
      put(parent, datum);
      const next = part(parent);
      if (next !== undefined) {
        json = next;
        break;
      }
      open.pop();
      datum = finished(parent, finish);
    }
  }
}

/** The next part to be made. */
function part({ json, made }: Making): Json | undefined {
  return json.kind === 'array' ? json.items[made] : json.fields[made]?.[1];
}

function put(making: Making, datum: Datum): void {
  const { json, made, array, object } = making;
  making.made += 1;
  if (json.kind === 'array') {
    array.push(datum);
    return;
  }
  const key = json.fields[made]?.[0] ?? '';
  if (Object.hasOwn(object, key)) throw logicError(`Duplicate key ${stringText(key)} in JSON.`);
  setField(object, key, datum);
}

function finished({ json, array, object }: Making, finish: Finish): Datum {
  return json.kind === 'array' ? finish.array(array) : finish.object(object);
}
