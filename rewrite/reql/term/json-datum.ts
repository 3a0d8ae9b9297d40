// JSON as data: what `[1, value]` means to the server.

import { type Datum, setField } from '../data/datum.ts';
import type { Json } from './json.ts';

/** A datum, or the server's text for why the JSON is none. */
export type ReadDatum = { readonly value: Datum } | { readonly fault: string };

interface Build {
  readonly json: Json;
  readonly put: (value: Datum) => void;
}

/** The datum that a JSON value stands for, at any depth. Refuses repeated keys and numbers too large for a double. */
export function toDatum(root: Json): ReadDatum {
  let result: Datum = null;
  const unbuilt: Build[] = [
    {
      json: root,
      put: (value) => {
        result = value;
      },
    },
  ];
  for (let next = unbuilt.pop(); next !== undefined; next = unbuilt.pop()) {
    const { json, put } = next;
    if (json.kind === 'scalar') {
      if (typeof json.value === 'number' && !Number.isFinite(json.value)) {
        return { fault: `Non-finite number: ${json.value < 0 ? '-inf' : 'inf'}` };
      }
      put(json.value);
    } else if (json.kind === 'array') {
      const array: Datum[] = [];
      put(array);
      for (const item of json.items.toReversed()) unbuilt.push({ json: item, put: (value) => array.push(value) });
    } else {
      const object: Record<string, Datum> = {};
      put(object);
      const keys = new Set<string>();
      for (const [key] of json.fields) {
        if (keys.has(key)) return { fault: `Duplicate key ${JSON.stringify(key)} in JSON.` };
        keys.add(key);
      }
      for (const [key, field] of json.fields.toReversed()) {
        unbuilt.push({ json: field, put: (value) => setField(object, key, value) });
      }
    }
  }
  return { value: result };
}
