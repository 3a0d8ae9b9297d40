// Instants in the calendar, within the years 1400 to 9999 that the server's time library knows. Errors have no origin.

import { logicError } from '../error.ts';
import { zoneSeconds } from './time-zone.ts';

const DAY_MS = 86_400_000;
const FIRST_YEAR = 1400;
const LAST_YEAR = 9999;
/** The zones that the library accepts: from 12 hours west to 14 hours east. */
const WESTMOST = -12 * 3600;
const EASTMOST = 14 * 3600;

/** The error of a year out of range. */
function yearError(): Error {
  return timeError(`Year is out of valid range: ${FIRST_YEAR}..${LAST_YEAR}`);
}

/** An error of the time library, in its words. */
export function timeError(text: string): Error {
  return logicError(`Error in time logic: ${text}.`);
}

/** Raises QUERY_LOGIC for a zone that the time library refuses, though it has the form of one. */
export function checkZone(zone: string): void {
  const offset = zoneSeconds(zone);
  if (offset < WESTMOST || offset > EASTMOST) {
    throw timeError(`Offset out of range: ${zone.startsWith('-') ? '-' : ''}${zone.slice(1)}:00`);
  }
}

/** The milliseconds since 1970 of the start of a day. Raises QUERY_LOGIC for a day that the month has not. */
export function dayStart(year: number, month: number, day: number): number {
  const start = Date.UTC(year, month - 1, day);
  if (new Date(start).getUTCMonth() !== month - 1) throw timeError('Day of month is not valid for year');
  return start;
}

/** Raises QUERY_LOGIC for a year out of range. */
export function checkYear(year: number): void {
  if (year < FIRST_YEAR || year > LAST_YEAR) throw yearError();
}

/** Raises QUERY_LOGIC for a month out of range. */
export function checkMonth(month: number): void {
  if (month < 1 || month > 12) throw timeError('Month number is out of range 1..12');
}

/** Raises QUERY_LOGIC for a day of the month out of range. */
export function checkDay(day: number): void {
  if (day < 1 || day > 31) throw timeError('Day of month value is out of range 1..31');
}

/** A date as the library counts it. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** 1 for Monday to 7 for Sunday. */
  readonly dayOfWeek: number;
  readonly dayOfYear: number;
}

/** The time of day; all parts negative before the library's first day. */
export interface ClockTime {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly microseconds: number;
}

/** Microseconds since 1970 as a clock in a zone counts them. Raises QUERY_LOGIC for zones that are none. */
export function inZone(microseconds: bigint, zone: string): bigint {
  checkZone(zone);
  return microseconds + BigInt(zoneSeconds(zone)) * 1_000_000n;
}

// The library counts microseconds from this Julian day on, in 64 bits, and days in 32.
const JULIAN_1970 = 2_440_588n;
const DAY_MICROSECONDS = 86_400_000_000n;

function ticks(microseconds: bigint): bigint {
  return BigInt.asIntN(64, JULIAN_1970 * DAY_MICROSECONDS + microseconds);
}

/** The date of an instant in microseconds since 1970. Raises QUERY_LOGIC for years out of range. */
export function dateOf(microseconds: bigint): CalendarDate {
  const dayNumber = Number(BigInt.asUintN(32, ticks(microseconds) / DAY_MICROSECONDS));
  const { year, month, day } = fromDayNumber(dayNumber);
  checkYear(year);
  checkDay(day);
  checkMonth(month);
  const start = Date.UTC(year, month - 1, day);
  return {
    year,
    month,
    day,
    dayOfWeek: new Date(start).getUTCDay() || 7,
    dayOfYear: (start - Date.UTC(year, 0, 1)) / DAY_MS + 1,
  };
}

// The library's own formula, overflow included, so that instants far away fail as they do there.
function fromDayNumber(dayNumber: number): Pick<CalendarDate, 'year' | 'month' | 'day'> {
  const word = (value: number): number => value >>> 0;
  const by = (a: number, b: number): number => Math.imul(a, b) >>> 0;
  const over = (a: number, b: number): number => Math.floor(a / b);
  const a = word(dayNumber + 32044);
  const b = over(word(by(4, a) + 3), 146097);
  const c = word(a - over(by(146097, b), 4));
  const d = over(word(by(4, c) + 3), 1461);
  const e = word(c - over(by(1461, d), 4));
  const m = over(word(by(5, e) + 2), 153);
  return {
    day: word(e - over(word(by(153, m) + 2), 5) + 1) & 0xffff,
    month: word(m + 3 - by(12, over(m, 10))) & 0xffff,
    year: word(by(100, b) + d - 4800 + over(m, 10)) & 0xffff,
  };
}

/** The time of day of an instant in microseconds since 1970. */
export function clockOf(microseconds: bigint): ClockTime {
  const time = Number(ticks(microseconds) % DAY_MICROSECONDS);
  const seconds = Math.trunc(time / 1e6);
  return {
    hours: Math.trunc(seconds / 3600),
    minutes: Math.trunc(seconds / 60) % 60,
    seconds: seconds % 60,
    microseconds: time % 1e6,
  };
}

/** Raises QUERY_LOGIC for an instant, in milliseconds since 1970, whose year is out of range. */
export function checkInstant(milliseconds: number): void {
  if (milliseconds < Date.UTC(FIRST_YEAR, 0, 1) || milliseconds >= Date.UTC(LAST_YEAR + 1, 0, 1)) throw yearError();
}

/** The seconds since 1970 of the midnight, in a zone, before an instant in microseconds since 1970. */
export function midnight(microseconds: bigint, zone: string): number {
  const { year, month, day } = dateOf(inZone(microseconds, zone));
  return Date.UTC(year, month - 1, day) / 1000 - zoneSeconds(zone);
}
