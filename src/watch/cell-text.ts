// Data as the text of a cell: short, in one line, and never taken for other data.

import { isPseudo } from '../../rewrite/reql/data/data-type.ts';
import { type Datum, getField } from '../../rewrite/reql/data/datum.ts';
import { printIso8601 } from '../../rewrite/reql/data/iso8601.ts';
import { visible } from '../terminal/display-width.ts';

/** Texts that would be taken for something else stand in quotes. */
const AMBIGUOUS = /^$|^\s|\s$|^["[{<]|^(?:true|false|null)$|^-?\d/;

/** The text of a datum. */
export function cellText(datum: Datum | undefined): string {
  if (datum === undefined) return '';
  if (typeof datum === 'string') return visible(AMBIGUOUS.test(datum) ? JSON.stringify(datum) : datum);
  if (isPseudo(datum, 'TIME')) return String(printIso8601(datum));
  if (isPseudo(datum, 'BINARY')) return `<binary, ${bytesOf(String(getField(datum, 'data') ?? ''))} bytes>`;
  return visible(JSON.stringify(datum));
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
