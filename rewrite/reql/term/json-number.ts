// Numbers as RethinkDB reads them: rounded correctly, as in JavaScript, but with its own limits (an exponent above 308
// is an error, other numbers beyond a double are infinite), and `-0` is the integer 0 while `-0.0` is negative zero.

const LARGEST_EXPONENT = 308;
/** An integer that is this large may not have one more digit. */
const LARGEST_TENTH = Number.MAX_VALUE / 10;

/** A number read from a text, and the offset after it. */
export interface ReadNumber {
  readonly value: number;
  readonly end: number;
}

/**
 * Reads the number that starts at `start`. `undefined` where there is none, or one that the server refuses as too big
 * (an exponent above 308). The value may be infinite: the server reads such numbers and refuses them as data later.
 */
export function readNumber(source: string, start: number): ReadNumber | undefined {
  const from = source.charAt(start) === '-' ? start + 1 : start;
  let end = source.charAt(from) === '0' ? from + 1 : digitsEnd(source, from);
  if (end === from) return undefined;
  if (end - from > LARGEST_EXPONENT && Number(source.slice(from, end - 1)) >= LARGEST_TENTH) return undefined;
  const integerEnd = end;
  if (source.charAt(end) === '.') {
    end = digitsEnd(source, integerEnd + 1);
    if (end === integerEnd + 1) return undefined;
  }
  const letter = source.charAt(end);
  if (letter === 'e' || letter === 'E') {
    const sign = source.charAt(end + 1);
    const exponentStart = sign === '+' || sign === '-' ? end + 2 : end + 1;
    end = digitsEnd(source, exponentStart);
    if (end === exponentStart) return undefined;
    if (sign !== '-' && Number(source.slice(exponentStart, end)) > LARGEST_EXPONENT) return undefined;
  }
  const value = Number(source.slice(start, end));
  // Adding keeps `-0` the integer 0.
  return { value: end === integerEnd ? value + 0 : value, end };
}

function digitsEnd(source: string, start: number): number {
  let at = start;
  for (;;) {
    const code = source.charCodeAt(at);
    if (!(code >= 0x30 && code <= 0x39)) return at;
    at += 1;
  }
}

/** The reason for which no number could be read at `start`, in the words of the server's reader. */
export function numberFault(source: string, start: number): string {
  const from = source.charAt(start) === '-' ? start + 1 : start;
  let end = source.charAt(from) === '0' ? from + 1 : digitsEnd(source, from);
  if (end === from) return 'Invalid value.';
  if (source.charAt(end) === '.') {
    const fraction = end + 1;
    end = digitsEnd(source, fraction);
    if (end === fraction) return 'Miss fraction part in number.';
  }
  const letter = source.charAt(end);
  if (letter === 'e' || letter === 'E') {
    const sign = source.charAt(end + 1);
    const exponent = sign === '+' || sign === '-' ? end + 2 : end + 1;
    if (digitsEnd(source, exponent) === exponent) return 'Miss exponent in number.';
  }
  return 'Number too big to be stored in double.';
}
