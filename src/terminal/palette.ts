// The looks of things in a terminal. Colour never says what a text does not say as well.

/** The style of a piece of text. */
export type Style = 'plain' | 'title' | 'faint' | 'added' | 'changed' | 'removed' | 'good' | 'bad';

const CODES: { readonly [S in Style]: string } = {
  plain: '',
  title: '1',
  faint: '2',
  added: '32',
  changed: '1;33',
  removed: '9;31',
  good: '32',
  bad: '1;31',
};

/** A line in pieces that are drawn in their styles. */
export type StyledLine = readonly Styled[];

/** A piece of a line. */
export interface Styled {
  readonly text: string;
  readonly style: Style;
}

/** A piece of text, plain where nothing else is said. */
export function styled(text: string, style: Style = 'plain'): Styled {
  return { text, style };
}

/** The line as a terminal draws it; without colours where those are not wanted. */
export function painted(line: StyledLine, hasColours: boolean): string {
  return line
    .map(({ text, style }) => (hasColours && style !== 'plain' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text))
    .join('');
}
