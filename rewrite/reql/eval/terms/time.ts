// Times: made, printed, taken apart, moved between zones.

import {
  type CalendarDate,
  type ClockTime,
  checkDay,
  checkMonth,
  checkYear,
  checkZone,
  clockOf,
  dateOf,
  dayStart,
  inZone,
  midnight,
} from '../../data/calendar.ts';
import { compareDatums } from '../../data/compare.ts';
import { asObject, asString, dataType, PSEUDO_TYPE } from '../../data/data-type.ts';
import { type Datum, type DatumObject, getField } from '../../data/datum.ts';
import { parseIso8601, printIso8601 } from '../../data/iso8601.ts';
import { printTruncated } from '../../data/json-text.ts';
import { makeTime, roundToMilliseconds } from '../../data/pseudo.ts';
import { epochTimeOf, microsecondsOf, timeZoneOf } from '../../data/time.ts';
import { sanitizeTimeZone, zoneSeconds } from '../../data/time-zone.ts';
import { internalError, logicError } from '../../error.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import { bind } from '../core/bind.ts';
import type { TermCompiler, TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import type { Value } from '../core/value.ts';
import { isOpen } from './bounds.ts';

/** Steps that a term about times takes: a calendar is a lot of arithmetic. */
const TIME_STEPS = 60;

const timeOp = (run: (args: Args) => Value): TermCompiler => op(run, { steps: TIME_STEPS });

/** Argument `index` as a time; like the server, takes any pseudo-type at first and fails on its fields. */
function timeArg(args: Args, index: number): DatumObject {
  return asObject(pseudoArg(args, index));
}

function pseudoArg(args: Args, index: number): Datum {
  const datum = args.datum(index);
  bind(args.maker(index), () => checkPseudo(datum));
  return datum;
}

/** A pseudo-type as a time where the server finds itself at fault if it is none, as `name` on `line` of its source. */
function saneTime(datum: Datum, name: string, line: number): DatumObject {
  if (dataType(datum) !== 'PTYPE<BINARY>') return asObject(datum);
  throw internalError(
    `SANITY CHECK FAILED: [${name}.is_ptype(time_string)] at \`src/rdb_protocol/pseudo_time.cc:${line}\` (server is buggy).`,
  );
}

function compareTimes(x: Datum, y: Datum): number {
  return compareDatums(saneTime(x, 'x', 482), saneTime(y, 'y', 483));
}

function checkPseudo(datum: Datum): void {
  const type = dataType(datum);
  if (type === 'PTYPE<BINARY>') return;
  if (type === 'OBJECT' && getField(datum as DatumObject, PSEUDO_TYPE) !== undefined) return;
  throw logicError(`Not a TIME pseudotype: \`${printTruncated(datum)}\`.`);
}

/** The instant that argument 0 is, as its zone shows it. */
function shown(args: Args): bigint {
  const time = timeArg(args, 0);
  return inZone(microsecondsOf(time), timeZoneOf(time));
}

function datePart(of: (date: CalendarDate) => number): TermCompiler {
  return timeOp((args) => of(dateOf(shown(args))));
}

function clockPart(of: (clock: ClockTime) => number): TermCompiler {
  return timeOp((args) => of(clockOf(shown(args))));
}

// The fraction is that of the number, toward zero; before 1970 it is negative, as in the server.
function seconds(args: Args): Value {
  const time = timeArg(args, 0);
  const epochTime = epochTimeOf(time);
  const clock = clockOf(inZone(microsecondsOf(time), timeZoneOf(time)));
  return clock.seconds + roundToMilliseconds(epochTime - Math.trunc(epochTime));
}

function date(args: Args): Value {
  const time = timeArg(args, 0);
  const zone = timeZoneOf(time);
  return makeTime(midnight(microsecondsOf(time), zone), zone);
}

function timeOfDay(args: Args): Value {
  const time = timeArg(args, 0);
  const microseconds = microsecondsOf(time);
  const since = BigInt(midnight(microseconds, timeZoneOf(time))) * 1_000_000n;
  return roundToMilliseconds(Number(microseconds - since) / 1e6);
}

function inTimezone(args: Args): Value {
  // The server evaluates the zone first, but looks at it last.
  const zone = args.datum(1);
  const time = pseudoArg(args, 0);
  return makeTime(epochTimeOf(saneTime(time, 't', 572)), sanitizeTimeZone(asString(zone)));
}

function during(args: Args): Value {
  const time = pseudoArg(args, 0);
  const left = pseudoArg(args, 1);
  const right = pseudoArg(args, 2);
  const fromLeft = compareTimes(left, time);
  const toRight = compareTimes(time, right);
  if (fromLeft > 0 || (fromLeft === 0 && isOpen(args, 'left_bound', false))) return false;
  return !(toRight > 0 || (toRight === 0 && isOpen(args, 'right_bound', true)));
}

function iso8601(args: Args): Value {
  const zone = args.optargString('default_timezone') ?? '';
  const value = args.datum(0);
  return bind(args.maker(0), () => {
    const text = asString(value);
    args.context.meter.spend(text.length);
    return parseIso8601(text, zone);
  });
}

// The date library's numbers have 16 bits.
const sixteenBits = (value: number): number => value & 0xffff;

function time(args: Args): Value {
  const { count } = args;
  if (count !== 4 && count !== 7) throw args.fail(`Got ${count} arguments to TIME (expected 4 or 7).`);
  const [year, month, day] = [args.int32(0), args.int32(1), args.int32(2)].map(sixteenBits);
  const clock = count === 7 ? [args.int32(3), args.int32(4), args.number(5)] : [0, 0, 0];
  const [hours = 0, minutes = 0, secs = 0] = clock;
  const zoneText = args.string(count - 1);
  return makeDate(year ?? 0, month ?? 0, day ?? 0, hours * 3600 + minutes * 60 + secs, zoneText);
}

function makeDate(year: number, month: number, day: number, secondsOfDay: number, zoneText: string): Datum {
  checkDay(day);
  checkMonth(month);
  checkYear(year);
  const start = dayStart(year, month, day);
  const zone = sanitizeTimeZone(zoneText);
  checkZone(zone);
  return makeTime(start / 1000 + secondsOfDay - zoneSeconds(zone), zone);
}

function now(args: Args): Value {
  const { now: fixed } = args.context;
  if (fixed === undefined) throw args.fail('r.now() is not available here.');
  return fixed;
}

const constant = (value: number): TermCompiler => op(() => value);

/** The terms of this family. */
export const timeTerms: TermTable = {
  [TermType.ISO8601]: timeOp(iso8601),
  [TermType.TO_ISO8601]: timeOp((args) => printIso8601(timeArg(args, 0))),
  [TermType.EPOCH_TIME]: timeOp((args) => makeTime(args.number(0), '+00:00')),
  [TermType.TO_EPOCH_TIME]: timeOp((args) => epochTimeOf(timeArg(args, 0))),
  [TermType.NOW]: timeOp(now),
  [TermType.TIME]: timeOp(time),
  [TermType.IN_TIMEZONE]: timeOp(inTimezone),
  [TermType.DURING]: timeOp(during),
  [TermType.DATE]: timeOp(date),
  [TermType.TIME_OF_DAY]: timeOp(timeOfDay),
  [TermType.TIMEZONE]: timeOp((args) => timeZoneOf(saneTime(pseudoArg(args, 0), 'time', 562))),
  [TermType.YEAR]: datePart((date) => date.year),
  [TermType.MONTH]: datePart((date) => date.month),
  [TermType.DAY]: datePart((date) => date.day),
  [TermType.DAY_OF_WEEK]: datePart((date) => date.dayOfWeek),
  [TermType.DAY_OF_YEAR]: datePart((date) => date.dayOfYear),
  [TermType.HOURS]: clockPart((clock) => clock.hours),
  [TermType.MINUTES]: clockPart((clock) => clock.minutes),
  [TermType.SECONDS]: timeOp(seconds),
  [TermType.MONDAY]: constant(1),
  [TermType.TUESDAY]: constant(2),
  [TermType.WEDNESDAY]: constant(3),
  [TermType.THURSDAY]: constant(4),
  [TermType.FRIDAY]: constant(5),
  [TermType.SATURDAY]: constant(6),
  [TermType.SUNDAY]: constant(7),
  [TermType.JANUARY]: constant(1),
  [TermType.FEBRUARY]: constant(2),
  [TermType.MARCH]: constant(3),
  [TermType.APRIL]: constant(4),
  [TermType.MAY]: constant(5),
  [TermType.JUNE]: constant(6),
  [TermType.JULY]: constant(7),
  [TermType.AUGUST]: constant(8),
  [TermType.SEPTEMBER]: constant(9),
  [TermType.OCTOBER]: constant(10),
  [TermType.NOVEMBER]: constant(11),
  [TermType.DECEMBER]: constant(12),
};
