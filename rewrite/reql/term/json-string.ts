// The faults of strings in JSON texts.

const QUOTE = '"';
const BACKSLASH = '\\';
const ESCAPES = '"\\/bfnrt';
const HEX = /^[0-9A-Fa-f]{4}$/;

/**
 * The first fault of the string whose first character stands at `start`, in the words of the server's reader (rapidjson);
 * undefined for a good one.
 */
export function stringFault(source: string, start: number): string | undefined {
  let at = start;
  for (;;) {
    const char = source.charAt(at);
    if (char === QUOTE) return undefined;
    if (char === '') return 'Missing a closing quotation mark in string.';
    if (char < ' ') return 'Invalid escape character in string.';
    at += 1;
    if (char !== BACKSLASH) continue;
    const fault = escapeFault(source, at);
    if (fault !== undefined) return fault;
    at += source.charAt(at) === 'u' ? 5 : 1;
  }
}

/** The fault of the escape of which `at` is the character after the backslash. */
function escapeFault(source: string, at: number): string | undefined {
  const char = source.charAt(at);
  if (char !== 'u') return char !== '' && ESCAPES.includes(char) ? undefined : 'Invalid escape character in string.';
  const unit = hexAt(source, at + 1);
  if (unit === undefined) return 'Incorrect hex digit after \\u escape in string.';
  if (unit < 0xd800 || unit > 0xdbff) return undefined;
  if (!source.startsWith('\\u', at + 5)) return 'The surrogate pair in string is invalid.';
  const low = hexAt(source, at + 7);
  if (low === undefined) return 'Incorrect hex digit after \\u escape in string.';
  return low >= 0xdc00 && low <= 0xdfff ? undefined : 'The surrogate pair in string is invalid.';
}

function hexAt(source: string, at: number): number | undefined {
  const digits = source.slice(at, at + 4);
  return HEX.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
