// Data as JSON text, byte for byte as the server writes it: keys in the order of their UTF-8 bytes, its number format,
// upper-case escapes; compact as `toJsonString` and the wire have it, or indented with tabs as error texts show data.

import { sortedKeys } from './compare.ts';
import { isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, MAXVAL, MINVAL } from './datum.ts';
import { logicError } from './error.ts';
import { numberText } from './number.ts';
import { utf8Length, utf8Prefix } from './utf8.ts';

/** The most bytes of a datum that a truncated print shows. */
const TRUNCATED = 300;

/** Compact JSON text. Raises QUERY_LOGIC without an origin for minval and maxval. */
export function jsonText(datum: Datum): string {
  switch (typeof datum) {
    case 'number':
      return numberText(datum);
    case 'string':
      return stringText(datum);
    case 'boolean':
      return datum ? 'true' : 'false';
    default:
      break;
  }
  if (datum === null) return 'null';
  if (isArray(datum)) return datum.length === 0 ? '[]' : `[${datum.map(jsonText).join(',')}]`;
  checkWritable(datum);
  let text = '';
  for (const key of sortedKeys(datum)) {
    text += `${text === '' ? '{' : ','}${stringText(key)}:${jsonText(datum[key] ?? null)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Indented JSON text, as `info` and error texts show data. Raises as `jsonText` does. */
export function printDatum(datum: Datum, indent = ''): string {
  if (typeof datum !== 'object' || datum === null || isBinary(datum)) return jsonText(datum);
  const inner = `${indent}\t`;
  // The server writes binaries past its indenting writer, so that nothing is indented before them.
  const place = (value: Datum, before: string): string =>
    isBinary(value) ? jsonText(value) : `${before}${printDatum(value, inner)}`;
  if (isArray(datum)) {
    if (datum.length === 0) return '[]';
    return `[${datum.map((item) => place(item, `\n${inner}`)).join(',')}\n${indent}]`;
  }
  checkWritable(datum);
  const fields = sortedKeys(datum).map((key) => `\n${inner}${stringText(key)}:${place(datum[key] ?? null, '\t')}`);
  return fields.length === 0 ? '{}' : `{${fields.join(',')}\n${indent}}`;
}

function isBinary(datum: Datum): boolean {
  return isPseudo(datum, 'BINARY');
}

/** `printDatum`, cut to 300 bytes with an ellipsis. */
export function printTruncated(datum: Datum): string {
  return truncate(printDatum(datum));
}

/** A text cut to 300 bytes, the last three an ellipsis where it was longer. */
export function truncate(text: string): string {
  return utf8Length(text) > TRUNCATED ? `${utf8Prefix(text, TRUNCATED - 3)}...` : text;
}

function isArray(datum: readonly Datum[] | DatumObject): datum is readonly Datum[] {
  return Array.isArray(datum);
}

function checkWritable(datum: DatumObject): void {
  if (datum === MINVAL) throw logicError('Cannot convert `r.minval` to JSON.');
  if (datum === MAXVAL) throw logicError('Cannot convert `r.maxval` to JSON.');
}

/** A string as JSON text. */
export function stringText(text: string): string {
  const quoted = JSON.stringify(text);
  if (!quoted.includes('\\u00')) return quoted;
  return quoted.replace(/\\(?:u00([0-9a-f]{2})|.)/g, (whole, code: string | undefined) =>
    code === undefined ? whole : `\\u00${code.toUpperCase()}`,
  );
}

/** A string as the server puts it into an error text: as a C string, which a NUL ends. */
export function cText(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
