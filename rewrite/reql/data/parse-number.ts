// Numbers out of strings, as C's `sscanf("%lf")` reads them: `coerceTo('number')`.

// An exponent that is begun and not finished counts as none.
const DECIMAL = /^[ \t\n\v\f\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:[eE][+-]?)?$/;
const HEXADECIMAL = /^[ \t\n\v\f\r]*([+-]?)0[xX]([0-9a-fA-F]*)(\.[0-9a-fA-F]*)?(?:[pP]([+-]?\d*))?$/;
const SPECIAL = /^[ \t\n\v\f\r]*([+-]?)(inf(?:inity)?|nan)$/i;

/** The number that a text is, white space before it aside; `undefined` where it is none. May be infinite or NaN. */
export function parseNumber(text: string): number | undefined {
  // The server reads up to the first NUL.
  const [read = ''] = text.split('\0');
  const decimal = DECIMAL.exec(read)?.[1];
  if (decimal !== undefined) return Number(decimal);
  const special = SPECIAL.exec(read);
  if (special !== null) {
    const [, sign, word = ''] = special;
    return (sign === '-' ? -1 : 1) * (word.toLowerCase().startsWith('inf') ? Number.POSITIVE_INFINITY : Number.NaN);
  }
  return parseHexadecimal(read);
}

function parseHexadecimal(text: string): number | undefined {
  const match = HEXADECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', point = '', power = ''] = match;
  if (whole === '' && point === '') return undefined;
  const fraction = point.slice(1);
  const digits = Number.parseInt(`0${whole}${fraction}`, 16);
  return (sign === '-' ? -1 : 1) * digits * 2 ** ((Number.parseInt(power, 10) || 0) - 4 * fraction.length);
}
