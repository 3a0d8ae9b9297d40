// Arithmetic on TIME pseudo-types. Errors have no origin.

import { asNumber, isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, getField } from './datum.ts';
import { finite } from './number.ts';
import { makeTime, roundToMilliseconds } from './pseudo.ts';

/** The seconds since 1970 of a TIME. */
export function epochTimeOf(time: DatumObject): number {
  return asNumber(getField(time, 'epoch_time') ?? null);
}

/** The microseconds since 1970 of a TIME, off by what the server's arithmetic on doubles is off. */
export function microsecondsOf(time: DatumObject): bigint {
  const seconds = epochTimeOf(time);
  const whole = Math.trunc(seconds);
  const rest = Math.trunc(seconds * 1e6 - whole * 1e6 + Math.sign(seconds) * 0.5);
  return BigInt.asIntN(64, BigInt(whole) * 1_000_000n + BigInt(rest));
}

/** The zone of a TIME, such as `+00:00`. */
export function timeZoneOf(time: DatumObject): string {
  const zone = getField(time, 'timezone');
  return typeof zone === 'string' ? zone : '+00:00';
}

/** A time so many seconds later, in the same zone. */
export function addTime(time: DatumObject, duration: Datum): Datum {
  return makeTime(finite(epochTimeOf(time) + asNumber(duration)), timeZoneOf(time));
}

/** A time so many seconds earlier, or the seconds from another time to this one. */
export function subtractTime(time: DatumObject, other: Datum): Datum {
  if (isPseudo(other, 'TIME')) return roundToMilliseconds(epochTimeOf(time) - epochTimeOf(other));
  return makeTime(finite(epochTimeOf(time) - asNumber(other)), timeZoneOf(time));
}
