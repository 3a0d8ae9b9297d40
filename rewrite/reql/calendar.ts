// Instants in the calendar, within the years 1400 to 9999 that the server's time library knows. Errors have no origin.

import { logicError } from './error.ts';
import { zoneSeconds } from './time-zone.ts';

const DAY_MS = 86_400_000;
const FIRST_YEAR = 1400;
const LAST_YEAR = 9999;
/** The zones that the library accepts: from 12 hours west to 14 hours east. */
const WESTMOST = -12 * 3600;
const EASTMOST = 14 * 3600;

/** An instant as a clock and a calendar in its zone show it. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** 1 for Monday to 7 for Sunday. */
  readonly dayOfWeek: number;
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** The error of a year out of range. */
export function yearError(): Error {
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

/** An instant in milliseconds since 1970 as it shows in a zone. Raises QUERY_LOGIC for years out of range. */
export function localTime(milliseconds: number, zone: string): LocalTime {
  checkZone(zone);
  checkInstant(milliseconds);
  const local = milliseconds + zoneSeconds(zone) * 1000;
  checkInstant(local);
  const date = new Date(local);
  const year = date.getUTCFullYear();
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    dayOfWeek: date.getUTCDay() || 7,
    dayOfYear: Math.floor((local - Date.UTC(year, 0, 1)) / DAY_MS) + 1,
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: date.getUTCMilliseconds(),
  };
}

/** Raises QUERY_LOGIC for an instant, in milliseconds since 1970, whose year is out of range. */
export function checkInstant(milliseconds: number): void {
  if (milliseconds < Date.UTC(FIRST_YEAR, 0, 1) || milliseconds >= Date.UTC(LAST_YEAR + 1, 0, 1)) throw yearError();
}

/** The milliseconds since 1970 of the midnight, in a zone, before an instant. */
export function midnight(milliseconds: number, zone: string): number {
  const { year, month, day } = localTime(milliseconds, zone);
  return Date.UTC(year, month - 1, day) - zoneSeconds(zone) * 1000;
}
