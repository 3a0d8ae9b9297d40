// Data as JSON text, byte for byte as the server writes it: keys in the order of their UTF-8 bytes, its number format,
// upper-case escapes; compact as `toJsonString` and the wire have it, or indented with tabs as error texts show data.

import { logicError } from '../error.ts';
import { Meter, OutOfSteps } from '../meter.ts';
import { sortedKeys } from './compare.ts';
import { isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, MAXVAL, MINVAL } from './datum.ts';
import { deepText, LEVELS } from './deep-text.ts';
import { knownText, LARGE } from './known-text.ts';
import { numberText } from './number.ts';
import { quoted } from './quoted.ts';
import { utf8Length, utf8Prefix } from './utf8.ts';

/** The most bytes of a datum that a truncated print shows. */
const TRUNCATED = 300;
/** Characters of a text that are written in about the time of one step, and the steps of an item and of a field. */
const CHARACTERS_PER_STEP = 32;
/** Steps after which a datum is too large for an error text. */
const PRINTED_STEPS = 50_000;
const TOO_LARGE = '(a value that is too large to be shown)';
const ITEM_STEPS = 2;
const FIELD_STEPS = 4;

/**
 * Compact JSON text. Depth is no concern. Raises QUERY_LOGIC without an origin for minval and maxval, and what `meter`
 * raises, which counts the work.
 */
export function jsonText(datum: Datum, meter?: Meter): string {
  switch (typeof datum) {
    case 'number':
      return numberText(datum);
    case 'string':
      meter?.spend(datum.length / CHARACTERS_PER_STEP);
      return stringText(datum);
    case 'boolean':
      return datum ? 'true' : 'false';
    case 'object':
      return datum === null ? 'null' : structureText(datum, LEVELS, meter);
  }
}

function structureText(datum: readonly Datum[] | DatumObject, levels: number, meter: Meter | undefined): string {
  if (levels === 0) return deepJson(datum, meter);
  if (isArray(datum)) {
    const known = meter === undefined && datum.length >= LARGE ? knownText(datum) : undefined;
    if (known !== undefined) return known;
    meter?.spend(1 + ITEM_STEPS * datum.length);
    let text = '';
    for (const item of datum) text += `${text === '' ? '[' : ','}${innerText(item, levels - 1, meter)}`;
    return text === '' ? '[]' : `${text}]`;
  }
  checkWritable(datum);
  const keys = sortedKeys(datum);
  meter?.spend(1 + FIELD_STEPS * keys.length);
  let text = '';
  for (const key of keys) {
    text += `${text === '' ? '{' : ','}${stringText(key)}:${innerText(datum[key] ?? null, levels - 1, meter)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

function innerText(value: Datum, levels: number, meter: Meter | undefined): string {
  return typeof value === 'object' && value !== null ? structureText(value, levels, meter) : jsonText(value, meter);
}

function deepJson(root: Datum, meter: Meter | undefined): string {
  return deepText(root, {
    atom: (datum) => {
      meter?.spend(FIELD_STEPS);
      if (typeof datum !== 'object' || datum === null) return jsonText(datum, meter);
      if (!isArray(datum)) checkWritable(datum);
      return undefined;
    },
    key: (name) => `${stringText(name)}:`,
  });
}

/**
 * Indented JSON text, as `info` and error texts show data; what nests deeper than people read is not indented. Without a
 * meter, what is too large to be read is not shown. Raises as `jsonText` does.
 */
export function printDatum(datum: Datum, meter?: Meter): string {
  if (meter !== undefined) return printWithin(LEVELS, datum, '', meter);
  try {
    return printWithin(LEVELS, datum, '', new Meter(PRINTED_STEPS));
  } catch (error) {
    if (error instanceof OutOfSteps) return TOO_LARGE;
    throw error;
  }
}

function printWithin(levels: number, datum: Datum, indent: string, meter: Meter | undefined): string {
  if (typeof datum !== 'object' || datum === null || isBinary(datum) || levels === 0) return jsonText(datum, meter);
  const inner = `${indent}\t`;
  // The server writes binaries past its indenting writer, so that nothing is indented before them.
  const place = (value: Datum, before: string): string =>
    isBinary(value) ? jsonText(value, meter) : `${before}${printWithin(levels - 1, value, inner, meter)}`;
  if (isArray(datum)) {
    if (datum.length === 0) return '[]';
    meter?.spend(1 + (ITEM_STEPS + indent.length / CHARACTERS_PER_STEP) * datum.length);
    return `[${datum.map((item) => place(item, `\n${inner}`)).join(',')}\n${indent}]`;
  }
  checkWritable(datum);
  const keys = sortedKeys(datum);
  meter?.spend(1 + (FIELD_STEPS + indent.length / CHARACTERS_PER_STEP) * keys.length);
  const fields = keys.map((key) => `\n${inner}${stringText(key)}:${place(datum[key] ?? null, '\t')}`);
  return fields.length === 0 ? '{}' : `{${fields.join(',')}\n${indent}}`;
}

function isBinary(datum: Datum): boolean {
  return isPseudo(datum, 'BINARY');
}

/** `printDatum`, cut to 300 bytes with an ellipsis. */
export function printTruncated(datum: Datum, meter?: Meter): string {
  return truncate(printDatum(datum, meter));
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
  const whole = quoted(text);
  if (!whole.includes('\\u00')) return whole;
  return whole.replace(/\\(?:u00([0-9a-f]{2})|.)/g, (part, code: string | undefined) =>
    code === undefined ? part : `\\u00${code.toUpperCase()}`,
  );
}

/** A string as the server puts it into an error text: as a C string, which a NUL ends. */
export function cText(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
