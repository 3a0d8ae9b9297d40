// The place of a mistake in a text: its line, and a caret below.

const WIDTH = 100;
/** What stands before the place where a line is cut. */
const BEFORE = 70;

/** Two lines: the line of `text` that `offset` (in UTF-16 units) is in, cut to about 100 columns, and a caret under the place. */
export function excerpt(text: string, offset: number): readonly [line: string, caret: string] {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end < 0 ? text.length : end).replaceAll('\t', ' ');
  const cut = Math.max(0, offset - start - BEFORE);
  return [`  ${line.slice(cut, cut + WIDTH)}`, `  ${' '.repeat(offset - start - cut)}^`];
}
