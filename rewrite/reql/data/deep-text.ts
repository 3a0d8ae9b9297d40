// Data that nest too deeply for recursion, as text: rows nest as deep as they like, the stack of JavaScript does not.

import { sortedKeys } from './compare.ts';
import { type Datum, type DatumObject, isObject } from './datum.ts';

/** How many levels of a datum are written by recursion, by whoever writes it, before `deepText` takes over. */
export const LEVELS = 200;

/** The spelling of a datum. Arrays and objects are written as in JSON, keys in the server's order. */
export interface Spelling {
  /** The text of what is not taken apart; `undefined` for an array or an object that is. */
  atom(datum: Datum): string | undefined;
  /** A key with its colon. */
  key(name: string): string;
}

/** What is still to be written: a text, or a datum. */
type Piece = { readonly text: string } | { readonly datum: Datum };

/** The text of a datum, without recursion. */
export function deepText(root: Datum, spelling: Spelling): string {
  const texts: string[] = [];
  const left: Piece[] = [{ datum: root }];
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    if ('text' in piece) {
      texts.push(piece.text);
      continue;
    }
    const { datum } = piece;
    const atom = spelling.atom(datum);
    if (atom !== undefined) texts.push(atom);
    else if (isObject(datum)) pushFields(left, datum, spelling);
    else if (Array.isArray(datum)) pushItems(left, datum);
  }
  return texts.join('');
}

// What is pushed last is written first.
function pushItems(left: Piece[], items: readonly Datum[]): void {
  left.push({ text: ']' });
  for (let index = items.length - 1; index >= 0; index--) {
    left.push({ datum: items[index] ?? null });
    if (index > 0) left.push({ text: ',' });
  }
  left.push({ text: '[' });
}

function pushFields(left: Piece[], object: DatumObject, { key }: Spelling): void {
  const keys = sortedKeys(object);
  left.push({ text: '}' });
  for (let index = keys.length - 1; index >= 0; index--) {
    const name = keys[index] ?? '';
    left.push({ datum: object[name] ?? null }, { text: `${index > 0 ? ',' : ''}${key(name)}` });
  }
  left.push({ text: '{' });
}
