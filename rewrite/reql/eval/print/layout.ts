// Laying out a document in lines of a given width in bytes, as RethinkDB's printer does (after Oleg Kiselyov's "Simple-gen").

import { utf8Length } from '../../data/utf8.ts';

/** A piece of a document. */
export type Doc =
  | string
  /** Pieces one after the other. */
  | readonly Doc[]
  /** `small` where the group around it fits the line; else a line break, and `next` at the start of the next line. */
  | { readonly kind: 'break'; readonly small: string; readonly next: string }
  /** A line break in any case. */
  | { readonly kind: 'newline' }
  /** A group whose lines start where it starts. */
  | { readonly kind: 'nest'; readonly doc: Doc };

/** A space, or a line break. */
export const SPACE: Doc = { kind: 'break', small: ' ', next: '' };
/** A dot, perhaps at the start of a line. */
export const DOT: Doc = { kind: 'break', small: '.', next: '.' };
/** A line break in any case. */
export const NEWLINE: Doc = { kind: 'newline' };

/** A group whose lines start where it starts. */
export function nest(...docs: readonly Doc[]): Doc {
  return { kind: 'nest', doc: docs };
}

/** The text of a document. */
export function layOut(doc: Doc, width: number): string {
  return new Layout(width).text(doc);
}

class Layout {
  readonly #width: number;
  /** Where the piece before ended, were there no line breaks. */
  #flat = 0;
  /** How many groups around this place are known to fit the line. */
  #fitting = 0;
  /** Where the line ends, in places of the text without line breaks. */
  #rightEdge: number;
  #column = 0;
  readonly #indents: number[] = [];
  #text = '';

  constructor(width: number) {
    this.#width = width;
    this.#rightEdge = width;
  }

  text(doc: Doc): string {
    this.#write(doc);
    return this.#text;
  }

  #write(doc: Doc): void {
    if (typeof doc === 'string') {
      this.#flat += utf8Length(doc);
      this.#text += doc;
      this.#column += utf8Length(doc);
    } else if (isList(doc)) {
      for (const part of doc) this.#write(part);
    } else if (doc.kind === 'nest') {
      this.#nest(doc.doc);
    } else if (doc.kind === 'newline') {
      this.#newLine('');
    } else {
      this.#flat += doc.small.length;
      if (this.#fitting === 0) {
        this.#newLine(doc.next);
      } else {
        this.#text += doc.small;
        this.#column += doc.small.length;
      }
    }
  }

  #nest(doc: Doc): void {
    this.#indents.push(this.#column);
    const fits = this.#fitting !== 0 || this.#flat + flatWidth(doc) <= this.#rightEdge;
    this.#fitting = fits ? this.#fitting + 1 : 0;
    this.#write(doc);
    if (this.#fitting !== 0) this.#fitting -= 1;
    this.#indents.pop();
  }

  #newLine(next: string): void {
    const indent = this.#indents.at(-1) ?? 0;
    this.#text += `\n${' '.repeat(indent)}${next}`;
    this.#fitting = 0;
    this.#column = indent + next.length;
    this.#rightEdge = this.#width - this.#column + this.#flat;
  }
}

function flatWidth(doc: Doc): number {
  if (typeof doc === 'string') return utf8Length(doc);
  if (isList(doc)) return doc.reduce<number>((width, part) => width + flatWidth(part), 0);
  if (doc.kind === 'nest') return flatWidth(doc.doc);
  return doc.kind === 'break' ? doc.small.length : 0;
}

function isList(doc: Exclude<Doc, string>): doc is readonly Doc[] {
  return Array.isArray(doc);
}
