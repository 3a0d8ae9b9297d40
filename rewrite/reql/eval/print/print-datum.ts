// Literals in what `info` shows of a function.

import { encodeBase64 } from '../../data/base64.ts';
import { sortedKeys } from '../../data/compare.ts';
import { dataType } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { binaryBytes } from '../../data/pseudo.ts';
import { type Doc, nest, SPACE } from './layout.ts';

export const COMMA: Doc = [',', SPACE];

/** The pieces with commas between them. */
export function separated(docs: readonly Doc[]): Doc[] {
  return docs.flatMap((doc, index) => (index === 0 ? [doc] : [COMMA, doc]));
}

// C's lrint and `%f`.
function numberDoc(value: number): string {
  if (!Number.isInteger(value)) return value.toFixed(6);
  return Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : String(-(2n ** 63n));
}

/** A literal as the printer of functions writes it. */
export function datumDoc(datum: Datum): Doc {
  if (datum === null) return 'null';
  if (typeof datum === 'boolean') return String(datum);
  if (typeof datum === 'number') return numberDoc(datum);
  if (typeof datum === 'string') return `"${datum}"`;
  if (Array.isArray(datum)) return ['[', nest(nest(...separated(datum.map(datumDoc)))), ']'];
  const object = datum as DatumObject;
  if (dataType(object) === 'PTYPE<BINARY>') {
    return ['Buffer', '(', nest(nest(encodeBase64(binaryBytes(object)), COMMA, "'base64'")), ')'];
  }
  const pairs = sortedKeys(object).map((key) => nest(`"${key}":`, SPACE, datumDoc(object[key] ?? null)));
  return nest('{', ...separated(pairs), '}');
}
