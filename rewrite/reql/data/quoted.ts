// A string in quotes, as JSON has it. Most are short and plain, as keys are, for which JSON.stringify takes half as long again.

/** Strings up to this length are looked at first. */
const SHORT = 64;
/** What JSON writes otherwise than it is, or may: anything but printable ASCII without quotes and backslashes. */
const UNPLAIN = /[^ !#-[\]-~]/;

/** A string in quotes, as JSON.stringify writes it. */
export function quoted(text: string): string {
  return text.length <= SHORT && !UNPLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
