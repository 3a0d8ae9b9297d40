// @ts-check
// Numbers, sizes and times in the few letters that there is room for.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** From here on numbers are short. */
const LONG = 100_000;

/**
 * @param {number} number
 * @returns {string}
 */
export function count(number) {
  return number < LONG ? whole.format(number) : short.format(number);
}

/**
 * How often a second.
 * @param {number} perSecond
 * @returns {string}
 */
export function rate(perSecond) {
  if (perSecond === 0) return '0';
  return perSecond < 100 ? tenths.format(perSecond) : count(perSecond);
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/**
 * @param {number} number of bytes
 * @returns {string}
 */
export function bytes(number) {
  let value = number;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.5 ? whole.format(value) : tenths.format(value);
  return `${digits} ${UNITS[unit]}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A length of time.
 * @param {number} seconds
 * @returns {string}
 */
export function duration(seconds) {
  if (seconds < MINUTE) return `${Math.floor(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
  return `${Math.floor(seconds / DAY)} d ${Math.floor((seconds % DAY) / HOUR)} h`;
}

/**
 * How far behind, where less than a second counts.
 * @param {number} seconds
 * @returns {string}
 */
export function delay(seconds) {
  if (seconds === 0) return '0 s';
  return seconds < 10 ? `${tenths.format(seconds)} s` : duration(seconds);
}

/**
 * How long was worked, where microseconds count.
 * @param {number} seconds
 * @returns {string}
 */
export function worked(seconds) {
  if (seconds < 0.001) return `${whole.format(seconds * 1e6)} µs`;
  return seconds < 1 ? `${whole.format(seconds * 1000)} ms` : delay(seconds);
}

/**
 * Which part of a core is taken.
 * @param {number} perSecond seconds that are worked a second
 * @returns {string}
 */
export function load(perSecond) {
  if (perSecond === 0) return '0 %';
  return perSecond < 0.0005 ? '<0.1 %' : `${tenths.format(100 * perSecond)} %`;
}

/**
 * Seconds from one moment to another; never negative.
 * @param {string} from ISO 8601
 * @param {string} to
 * @returns {number}
 */
export function secondsBetween(from, to) {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

/**
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
