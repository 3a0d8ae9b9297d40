// The text of a START query to its terms, in as many slices as one likes, so that others are served while a long query is
// read. It makes the terms that `parse.ts` makes, and leaves it to that to say what is wrong with a text of another shape.

import { type Datum, setField } from '../data/datum.ts';
import { type Origin, ROOT } from '../origin.ts';
import { QueryType } from '../protocol.ts';
import { TermType } from '../term-type.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  JsonCursor,
  JsonFault,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Scalar,
} from './json-cursor.ts';
import type { Entry, StartQuery, Term } from './term.ts';
import { typeNumber } from './type-number.ts';

/** The result of reading. */
export type Read =
  | { readonly kind: 'query'; readonly query: StartQuery }
  /** No START, or none of the right shape: `parseQuery` says why. */
  | { readonly kind: 'other' }
  /** There is more to read. */
  | { readonly kind: 'more' };

const MORE: Read = { kind: 'more' };
const OTHER: Read = { kind: 'other' };

/** `[1, term, optargs]`: the query itself. */
interface OpenQuery {
  readonly kind: 'query';
  items: number;
  term: Term | undefined;
  optargs: readonly Entry[];
}

/** `[type, args, optargs]` */
interface OpenTerm {
  readonly kind: 'term';
  readonly start: number;
  readonly origin: Origin;
  items: number;
  type: number;
  args: readonly Term[];
  optargs: readonly Entry[];
  datum: Datum | undefined;
}

interface OpenArgs {
  readonly kind: 'args';
  readonly terms: Term[];
  readonly origin: Origin;
}

/** Optargs, or an object that is a term itself. Global optargs have no places. */
interface OpenEntries {
  readonly kind: 'entries';
  readonly isTerm: boolean;
  readonly start: number;
  readonly origin: Origin;
  readonly isPlaced: boolean;
  readonly entries: Entry[];
  key: string;
}

/** An array of data, in `[1, value]`. */
interface OpenArray {
  readonly kind: 'array';
  readonly items: Datum[];
}

/** An object of data. */
interface OpenObject {
  readonly kind: 'object';
  readonly fields: Record<string, Datum>;
  key: string;
}

type Open = OpenQuery | OpenTerm | OpenArgs | OpenEntries | OpenArray | OpenObject;

const NO_TERMS: readonly Term[] = [];
const NO_ENTRIES: readonly Entry[] = [];

/** Reads one query. */
export class QueryReader {
  readonly #text: JsonCursor;
  readonly #query: OpenQuery = { kind: 'query', items: 0, term: undefined, optargs: NO_ENTRIES };
  readonly #open: Open[] = [];

  constructor(text: string) {
    this.#text = new JsonCursor(text);
  }

  /** Reads up to so many values more. Never throws; depth is no concern. */
  read(values: number): Read {
    try {
      if (this.#open.length === 0) this.#begin();
      for (let left = values; left > 0; left--) {
        const isWhole = this.#value(this.#open.at(-1) ?? this.#query);
        if (isWhole && this.#advance()) return this.#finish();
      }
      return MORE;
    } catch (fault) {
      if (fault instanceof JsonFault) return OTHER;
      throw fault;
    }
  }

  #begin(): void {
    if (this.#text.next() !== OPEN_BRACKET) throw new JsonFault();
    this.#text.at += 1;
    this.#open.push(this.#query);
  }

  #finish(): Read {
    this.#text.end();
    const { term, optargs } = this.#query;
    return term === undefined ? OTHER : { kind: 'query', query: { term, globalOptargs: optargs } };
  }

  /** Reads a value whole, or opens it: true where the next thing is what follows a value, or ends what is open. */
  #value(open: Open): boolean {
    const code = this.#text.next();
    const start = this.#text.at;
    switch (open.kind) {
      case 'query':
        return this.#queryItem(open, code, start);
      case 'term':
        return this.#termItem(open, code, start);
      case 'args':
        return this.#term(code, start, { parent: open.origin, frame: open.terms.length });
      case 'entries':
        return this.#term(code, start, open.isPlaced ? { parent: open.origin, frame: open.key } : ROOT);
      case 'array':
      case 'object':
        return this.#datum(code);
    }
  }

  /** Reads what follows a value: a comma, or the ends of what is open. True at the end of the query. */
  #advance(): boolean {
    for (;;) {
      const open = this.#open.at(-1);
      const code = this.#text.next();
      this.#text.at += 1;
      if (code === COMMA) {
        if (open?.kind === 'entries' || open?.kind === 'object') open.key = this.#text.key();
        return false;
      }
      if (open === undefined || code !== CLOSING[open.kind]) throw new JsonFault();
      this.#open.pop();
      if (open.kind === 'query') return true;
      this.#close(open);
    }
  }

  #close(open: Exclude<Open, OpenQuery>): void {
    switch (open.kind) {
      case 'term':
        this.#give(this.#built(open));
        break;
      case 'args':
        this.#giveArgs(open.terms);
        break;
      case 'entries':
        if (open.isTerm) this.#give(this.#object(open));
        else this.#giveOptargs(open.entries);
        break;
      case 'array':
        this.#giveDatum(open.items);
        break;
      case 'object':
        this.#giveDatum(open.fields);
        break;
    }
  }

  #queryItem(query: OpenQuery, code: number, start: number): boolean {
    if (query.items === 1) return this.#term(code, start, ROOT);
    if (query.items === 2) return this.#entries(code, start, ROOT, { isTerm: false, isPlaced: false });
    if (query.items > 2 || this.#typeNumber(code, start) !== QueryType.START) throw new JsonFault();
    query.items = 1;
    return true;
  }

  #termItem(term: OpenTerm, code: number, start: number): boolean {
    if (term.items === 0) {
      term.type = this.#typeNumber(code, start);
      term.items = 1;
      return true;
    }
    if (term.type === TermType.DATUM) {
      if (term.items > 1) throw new JsonFault();
      return this.#datum(code);
    }
    if (term.items === 1 && code === OPEN_BRACKET) {
      return this.#opened({ kind: 'args', terms: [], origin: term.origin }, CLOSE_BRACKET);
    }
    // Optargs are the last there is.
    if (term.items > 2) throw new JsonFault();
    return this.#entries(code, start, term.origin, { isTerm: false, isPlaced: true });
  }

  #typeNumber(code: number, start: number): number {
    const value = this.#scalar(code);
    if (typeof value !== 'number') throw new JsonFault();
    return typeNumber(value, this.#text.source.slice(start, this.#text.at));
  }

  /** The server takes no number beyond a double. */
  #scalar(code: number): Scalar {
    const value = this.#text.scalar(code);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new JsonFault();
    return value;
  }

  #term(code: number, start: number, origin: Origin): boolean {
    if (code === OPEN_BRACE) return this.#entries(code, start, origin, { isTerm: true, isPlaced: true });
    if (code !== OPEN_BRACKET) {
      const value = this.#scalar(code);
      this.#give({ kind: 'datum', value, text: this.#text.source.slice(start, this.#text.at), origin });
      return true;
    }
    this.#text.at += 1;
    this.#open.push({
      kind: 'term',
      start,
      origin,
      items: 0,
      type: 0,
      args: NO_TERMS,
      optargs: NO_ENTRIES,
      datum: undefined,
    });
    return false;
  }

  #entries(code: number, start: number, origin: Origin, how: Pick<OpenEntries, 'isTerm' | 'isPlaced'>): boolean {
    if (code !== OPEN_BRACE) throw new JsonFault();
    const { isTerm, isPlaced } = how;
    const entries: OpenEntries = { kind: 'entries', isTerm, isPlaced, start, origin, entries: [], key: '' };
    return this.#openedNamed(entries);
  }

  #datum(code: number): boolean {
    if (code === OPEN_BRACKET) return this.#opened({ kind: 'array', items: [] }, CLOSE_BRACKET);
    if (code === OPEN_BRACE) return this.#openedNamed({ kind: 'object', fields: {}, key: '' });
    this.#giveDatum(this.#scalar(code));
    return true;
  }

  /** Opens what begins here; true where it ends at once. */
  #opened(open: Open, closing: number): boolean {
    this.#text.at += 1;
    this.#open.push(open);
    return this.#text.next() === closing;
  }

  #openedNamed(open: OpenEntries | OpenObject): boolean {
    if (this.#opened(open, CLOSE_BRACE)) return true;
    open.key = this.#text.key();
    return false;
  }

  #give(term: Term): void {
    const open = this.#open.at(-1);
    if (open?.kind === 'args') {
      open.terms.push(term);
    } else if (open?.kind === 'entries') {
      open.entries.push([open.key, term]);
    } else if (open?.kind === 'query') {
      open.term = term;
      open.items = 2;
    }
  }

  #giveArgs(args: readonly Term[]): void {
    const open = this.#open.at(-1);
    if (open?.kind !== 'term') return;
    open.args = args;
    open.items = 2;
  }

  #giveOptargs(entries: readonly Entry[]): void {
    const open = this.#open.at(-1);
    if (open?.kind !== 'term' && open?.kind !== 'query') return;
    open.optargs = entries;
    open.items = 3;
  }

  #giveDatum(datum: Datum): void {
    const open = this.#open.at(-1);
    if (open?.kind === 'array') {
      open.items.push(datum);
    } else if (open?.kind === 'object') {
      // Of two fields of one name the server takes neither.
      if (Object.hasOwn(open.fields, open.key)) throw new JsonFault();
      setField(open.fields, open.key, datum);
    } else if (open?.kind === 'term') {
      open.datum = datum;
      open.items = 2;
    }
  }

  #built({ start, origin, type, args, optargs, datum }: OpenTerm): Term {
    const text = this.#text.source.slice(start, this.#text.at);
    if (type === TermType.DATUM) {
      if (datum === undefined) throw new JsonFault();
      return { kind: 'datum', value: datum, text, origin };
    }
    if (type === TermType.MAKE_OBJ && args.length === 0) return { kind: 'object', fields: optargs, text, origin };
    return { kind: 'call', type, args, optargs, text, origin };
  }

  #object({ start, origin, entries }: OpenEntries): Term {
    return { kind: 'object', fields: entries, text: this.#text.source.slice(start, this.#text.at), origin };
  }
}

/** The unit that ends what is open. */
const CLOSING: Readonly<Record<Open['kind'], number>> = {
  query: CLOSE_BRACKET,
  term: CLOSE_BRACKET,
  args: CLOSE_BRACKET,
  entries: CLOSE_BRACE,
  array: CLOSE_BRACKET,
  object: CLOSE_BRACE,
};
