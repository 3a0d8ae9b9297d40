// A string in quotes, as JSON has it. Most are short and plain, as keys are, for which JSON.stringify takes three times as long.

/** Strings up to this length are looked at one character after the other. */
const SHORT = 64;
const [SPACE, QUOTE, BACKSLASH, TILDE] = [0x20, 0x22, 0x5c, 0x7e];

/** A string in quotes, as JSON.stringify writes it. */
export function quoted(text: string): string {
  return text.length <= SHORT && isPlain(text) ? `"${text}"` : JSON.stringify(text);
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) return false;
  }
  return true;
}
