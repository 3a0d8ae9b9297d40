// The byte strings under which RethinkDB stores rows and index entries, as latin1 strings (one char per byte): the order
// of these strings is the order of the keys, in primary and secondary indexes alike.

import { decodeBase64 } from './base64.ts';
import { type Datum, getField, isObject, MAXVAL, MINVAL } from './datum.ts';
import { utf8Bytes } from './utf8.ts';

const float = new DataView(new ArrayBuffer(8));

/** A double as C's `%.20g` writes it. */
function reconstructable(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [mantissa = '', exponentText = '0'] = value.toExponential(19).split('e');
  const exponent = Number(exponentText);
  const strip = (digits: string) => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);
  if (exponent < -4 || exponent >= 20) {
    const width = String(Math.abs(exponent)).padStart(2, '0');
    return `${strip(mantissa)}e${exponent < 0 ? '-' : '+'}${width}`;
  }
  return strip(value.toFixed(19 - exponent));
}

function numberKey(value: number): string {
  const number = value === 0 ? 0 : value;
  float.setFloat64(0, number);
  let high = float.getUint32(0);
  let low = float.getUint32(4);
  if (high >= 0x80000000) {
    high = ~high >>> 0;
    low = ~low >>> 0;
  } else {
    high = (high ^ 0x80000000) >>> 0;
  }
  return `N${high.toString(16).padStart(8, '0')}${low.toString(16).padStart(8, '0')}#${reconstructable(number)}`;
}

/** The UTF-8 bytes of a string, one char each. */
function bytesOf(text: string): string {
  const bytes = utf8Bytes(text);
  return bytes.length === text.length ? text : charOfEach(bytes);
}

function charOfEach(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function escapeNulls(bytes: string): string {
  if (!bytes.includes('\x00') && !bytes.includes('\x01')) return bytes;
  let escaped = '';
  for (const byte of bytes) escaped += byte === '\x00' ? '\x01\x01' : byte === '\x01' ? '\x01\x02' : byte;
  return escaped;
}

/** The fault of a value that cannot be a key; callers turn it into the error their place demands. */
export type KeyFault =
  | { readonly kind: 'type'; readonly value: Datum }
  | { readonly kind: 'element'; readonly value: Datum }
  | { readonly kind: 'extreme' }
  | { readonly kind: 'null-byte'; readonly text: string; readonly offset: number }
  | { readonly kind: 'geometry' };

export type KeyResult = string | KeyFault;

export type KeyUse = 'primary' | 'secondary' | 'bound';

function stringKey(text: string, escaped: boolean): KeyResult {
  const bytes = bytesOf(text);
  if (escaped) return `S${escapeNulls(bytes)}`;
  const offset = bytes.indexOf('\x00');
  return offset < 0 ? `S${bytes}` : { kind: 'null-byte', text: bytes, offset };
}

function arrayKey(items: readonly Datum[], use: KeyUse): KeyResult {
  let key = 'A';
  for (const item of items) {
    const part = encode(item, use, false);
    if (typeof part !== 'string') return part;
    key += `${part}\x00`;
  }
  return key;
}

function pseudoKey(value: Datum, tag: Datum | undefined, fault: KeyFault): KeyResult {
  if (!isObject(value)) return fault;
  if (tag === 'TIME') {
    const epoch = getField(value, 'epoch_time');
    return typeof epoch === 'number' ? `PTIME:${numberKey(epoch)}` : fault;
  }
  if (tag === 'BINARY') {
    const data = getField(value, 'data');
    if (typeof data !== 'string') return fault;
    return `PBINARY:${escapeNulls(charOfEach(decodeBase64(data)))}`;
  }
  return tag === 'GEOMETRY' ? { kind: 'geometry' } : fault;
}

function encode(value: Datum, use: KeyUse, top: boolean): KeyResult {
  switch (typeof value) {
    case 'number':
      return numberKey(value);
    case 'string':
      return stringKey(value, use !== 'primary');
    case 'boolean':
      return value ? 'Bt' : 'Bf';
    case 'object':
      break;
  }
  const fault: KeyFault = { kind: top ? 'type' : 'element', value };
  if (value === MINVAL || value === MAXVAL) {
    if (use === 'secondary') return top ? fault : { kind: 'extreme' };
    return value === MINVAL ? '@' : '[';
  }
  if (Array.isArray(value)) return arrayKey(value, use);
  return pseudoKey(value, isObject(value) ? getField(value, '$reql_type$') : undefined, fault);
}

/** The key of a row, or what speaks against it (datum.cc, `print_primary_internal`: nulls are not escaped). */
export function primaryKey(value: Datum): KeyResult {
  return encode(value, 'primary', true);
}

/** The key of an index entry without its row; unlike the server's it is never cut short, so that order and equality are exact. */
export function secondaryKey(value: Datum): KeyResult {
  return encode(value, 'secondary', true);
}

/** The key of a bound on an index; `r.minval` and `r.maxval` are allowed everywhere. */
export function secondaryBound(value: Datum): KeyResult {
  return encode(value, 'bound', true);
}

/** Longest key of a row in bytes (protocol.hpp, MAX_PRIMARY_KEY_SIZE). */
export const MAX_PRIMARY_KEY_SIZE = 128;
