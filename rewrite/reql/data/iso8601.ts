// ISO 8601 as the server reads and writes it: calendar and ordinal dates in the basic and the extended format, no weeks.
// Errors have no origin.

import { internalError, logicError } from '../error.ts';
import {
  checkDay,
  checkInstant,
  checkMonth,
  checkYear,
  checkZone,
  clockOf,
  dateOf,
  dayStart,
  inZone,
  timeError,
} from './calendar.ts';
import type { Datum, DatumObject } from './datum.ts';
import { makeTime } from './pseudo.ts';
import { microsecondsOf, timeZoneOf } from './time.ts';
import { type DigitReader, readDigits, readOptional, sanitizeTimeZone, zoneSeconds } from './time-zone.ts';

const NO_ZONE = 'ISO 8601 string has no time zone, and no default time zone was provided.';
const NO_WEEKS =
  'Due to limitations in the boost time library we use for parsing, we cannot support ISO week dates right now.  Sorry about that!  Please use years, calendar dates, or ordinal dates instead.';

type ReadDate =
  | { readonly kind: 'day'; readonly year: number; readonly month: number; readonly day: number }
  | { readonly kind: 'ordinal'; readonly year: number; readonly dayOfYear: number }
  | { readonly kind: 'week' };

/** A TIME from its ISO 8601 form. A text without a zone is in `defaultZone`; '' for none. */
export function parseIso8601(text: string, defaultZone: string): DatumObject {
  const split = text.indexOf('T');
  const date = readDate(split < 0 ? text : text.slice(0, split));
  const { seconds, zone } = split < 0 ? { seconds: 0, zone: undefined } : readClock(text.slice(split + 1));
  if (date.kind === 'week') throw logicError(NO_WEEKS);
  const start = startOf(date);
  const { name, offset } = zone === undefined ? defaultedZone(defaultZone) : checkedZone(zone);
  const local = start + seconds * 1000;
  checkInstant(local);
  const instant = local - offset * 1000;
  checkInstant(instant);
  return makeTime(instant / 1000, name);
}

function readDate(text: string): ReadDate {
  const reader: DigitReader = { text, at: 0 };
  const year = Number(readDigits(reader, 4));
  if (reader.at === text.length) return { kind: 'day', year, month: 1, day: 1 };
  const hyphen = readOptional(reader, '-');
  if (readOptional(reader, 'W')) {
    readDigits(reader, 2);
    if (reader.at === text.length) return { kind: 'week' };
    readOptional(reader, '-');
    readDigits(reader, 1);
    return atEnd(reader, 'date', { kind: 'week' });
  }
  if (text.length - reader.at === 3) {
    return { kind: 'ordinal', year, dayOfYear: Number(readDigits(reader, 3)) };
  }
  const month = Number(readDigits(reader, 2));
  if (hyphen && reader.at === text.length) return { kind: 'day', year, month, day: 1 };
  if (readOptional(reader, '-') !== hyphen) throw logicError(`Date string \`${text}\` must have 0 or 2 hyphens.`);
  const day = Number(readDigits(reader, 2));
  return atEnd(reader, 'date', { kind: 'day', year, month, day });
}

function atEnd<Result>({ text, at }: DigitReader, what: string, result: Result): Result {
  if (at === text.length) return result;
  throw logicError(`Garbage characters \`${text.slice(at)}\` at end of ${what} string \`${text}\`.`);
}

function startOf(date: Exclude<ReadDate, { kind: 'week' }>): number {
  checkYear(date.year);
  if (date.kind === 'day') {
    checkMonth(date.month);
    checkDay(date.day);
    return dayStart(date.year, date.month, date.day);
  }
  if (date.dayOfYear < 1 || date.dayOfYear > 366) {
    throw internalError('Unexpected exception: Day of year value is out of range 1..366');
  }
  return dayStart(date.year, 1, 1) + (date.dayOfYear - 1) * 86_400_000;
}

interface Clock {
  readonly seconds: number;
  /** Absent where the text has none. */
  readonly zone: string | undefined;
}

function readClock(text: string): Clock {
  const sign = ['-', '+', 'Z'].map((mark) => text.indexOf(mark)).find((place) => place >= 0);
  const seconds = readTime(sign === undefined ? text : text.slice(0, sign));
  return { seconds, zone: sign === undefined ? undefined : sanitizeTimeZone(text.slice(sign)) };
}

function readTime(text: string): number {
  const reader: DigitReader = { text, at: 0 };
  const hours = Number(readDigits(reader, 2)) * 3600;
  if (reader.at === text.length) return hours;
  const colon = readOptional(reader, ':');
  const minutes = hours + Number(readDigits(reader, 2)) * 60;
  if (reader.at === text.length) return minutes;
  if (readOptional(reader, ':') !== colon) throw logicError(`Time string \`${text}\` must have 0 or 2 colons.`);
  const seconds = readDigits(reader, 2);
  if (!readOptional(reader, '.')) return atEnd(reader, 'time', minutes + Number(seconds));
  const fraction = readDigits(reader, text.length - reader.at);
  // The time library keeps microseconds.
  return minutes + Number(`${seconds}.${fraction.slice(0, 6)}`);
}

interface Zone {
  readonly name: string;
  /** Seconds east of UTC. */
  readonly offset: number;
}

function checkedZone(name: string): Zone {
  checkZone(name);
  return { name, offset: zoneSeconds(name) };
}

// A default zone goes to the time library as it is, which reads more than zones: names with offsets, single digits.
const OFFSET = /^ *([+-])(\d+)(?::(\d+))?$/;

function defaultedZone(given: string): Zone {
  const [, sign, hours, minutes = '00'] = OFFSET.exec(given) ?? [];
  if (sign === undefined || hours === undefined) return namedZone(given);
  const name = `${sign}${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`;
  if (hours.length > 2) {
    throw timeError(`Offset out of range: ${sign.replace('+', '')}${Number(hours)}:${minutes.padStart(2, '0')}:00`);
  }
  checkZone(name);
  // A negative offset of nothing is no zone, but comes out as one.
  return zoneSeconds(name) === 0 ? { name: '+00:00', offset: 0 } : checkedZone(sanitizeTimeZone(name));
}

function namedZone(given: string): Zone {
  const name = given.trimStart();
  if (name === 'Z') return { name: '+00:00', offset: 0 };
  const [, letters = '', rest = ''] = /^([A-Za-z]*)(.*)$/s.exec(name) ?? [];
  if (letters === '' || letters === 'UTC') throw logicError(NO_ZONE);
  const [, sign = '+', hours = '0'] = /^([+-]?)(\d*)/.exec(rest) ?? [];
  throw logicError(`Invalid ISO 8601 timezone: \`${letters}${sign || '+'}${hours.padStart(2, '0')}\`.`);
}

/** A TIME in ISO 8601, with milliseconds where they are not 0. Raises QUERY_LOGIC for years out of range. */
export function printIso8601(time: DatumObject): Datum {
  const zone = timeZoneOf(time);
  const instant = microsecondsOf(time);
  const at = inZone(instant, zone);
  // Also the date in UTC must be in range.
  dateOf(instant);
  const { year, month, day } = dateOf(at);
  const { hours, minutes, seconds, microseconds } = clockOf(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  // Cut to milliseconds, not rounded.
  const fraction = microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0').slice(0, 3)}`;
  return `${year}-${two(month)}-${two(day)}T${two(hours)}:${two(minutes)}:${two(seconds)}${fraction}${zone}`;
}
