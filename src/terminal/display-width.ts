// The number of columns of a terminal that a text takes, and texts cut to so many. What would move the cursor, or turn the reading
// direction, is written out: a row of a table must not be able to draw what it likes.

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Written two columns wide: East Asian scripts, and pictures. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
const PLAIN = /^[\x20-\x7e]*$/;
/** Control characters, marks of direction, and halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const MORE = '…';

/** The columns that a text takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** A text of at most so many columns, with `…` at its end where it is cut. */
export function cutTo(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let width = 0;
  let cut = '';
  for (const { segment } of segments.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > columns - 1) break;
    cut += segment;
  }
  return cut + MORE;
}

/** A line that is no fuller than this is not broken at a space: the next word is cut instead. */
const HALF = 0.5;

/** A text in lines of at most so many columns, broken at spaces where there are any in the second half of a line. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )/)) {
    if (displayWidth(line) > HALF * columns && displayWidth(line + word.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += word;
    while (displayWidth(line.trimEnd()) > columns) {
      const first = beginning(line, columns);
      lines.push(first);
      line = line.slice(first.length);
    }
  }
  return line.trimEnd() === '' ? lines : [...lines, line.trimEnd()];
}

/** As many characters of a text as go into so many columns; one at least. */
function beginning(text: string, columns: number): string {
  let width = 0;
  let taken = '';
  for (const { segment } of segments.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > columns && taken !== '') break;
    taken += segment;
  }
  return taken;
}

/** The text with all that a terminal would obey, or not show, as escapes of JSON. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
