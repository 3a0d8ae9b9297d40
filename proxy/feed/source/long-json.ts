// A long JSON text, read in steps between which others are served: pieces of it are read at once, and put together. What is longer than a
// piece is an array or an object that is gone into, or one string.

import { type Datum, isObject, setField } from '../../../rewrite/reql/data/datum.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../../rewrite/reql/term/json-cursor.ts';

/** How a long text is read. */
export interface LongJsonSettings {
  /** Bytes that are read, or looked at, in one step. */
  readonly pieceBytes: number;
  /** The text of a piece. What it throws ends the reading. */
  readonly textOf: (piece: Buffer) => string;
  /** Reads a piece. What it throws ends the reading. */
  readonly parse: (text: string) => Datum;
  /** How many levels deep a value may be, and what is raised for one that is deeper. */
  readonly deepest: number;
  readonly tooDeep: () => Error;
}

/**
 * Reads a text. Each `yield` ends a step.
 * @throws SyntaxError for what is no JSON
 */
export function* readLongJson(body: Buffer, settings: LongJsonSettings): Generator<void, Datum> {
  const long = yield* longParts(body, settings);
  return yield* new LongReading(body, long, settings).read();
}

/** Where the arrays and objects begin that are longer than a piece. Beyond it all brackets are known to match. */
function* longParts(
  body: Buffer,
  { pieceBytes, deepest, tooDeep }: LongJsonSettings,
): Generator<void, ReadonlySet<number>> {
  const long = new Set<number>();
  const open: number[] = [];
  let step = pieceBytes;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = endOfString(body, at + 1);
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      open.push(at);
      if (open.length > deepest) throw tooDeep();
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      const start = open.pop() ?? -1;
      if (body[start] !== (byte === CLOSE_BRACKET ? OPEN_BRACKET : OPEN_BRACE)) throw new SyntaxError('brackets');
      if (at - start > pieceBytes) long.add(start);
    }
    if (at < step) continue;
    step = at + pieceBytes;
    yield;
  }
  if (open.length > 0) throw new SyntaxError('a bracket that is not closed');
  return long;
}

/** An array or an object that is being put together. */
interface Part {
  readonly array: Datum[];
  /** `undefined` for an array. */
  readonly object: Record<string, Datum> | undefined;
  /** Where that begins which is not read yet. */
  from: number;
  /** Where the item or field begins that is being looked at. */
  item: number;
  /** Whether that is a long one, which is read. */
  isRead: boolean;
  /** Whether anything of it is read. */
  isBegun: boolean;
}

function partFrom(at: number, isArray: boolean): Part {
  return { array: [], object: isArray ? undefined : {}, from: at, item: at, isRead: false, isBegun: false };
}

/** The second look at a text, which reads it. */
class LongReading {
  readonly #body: Buffer;
  readonly #long: ReadonlySet<number>;
  readonly #settings: LongJsonSettings;
  /** What is open, from the outside in; the text itself is an array of one item, so that something always is. */
  readonly #open: Part[] = [];

  constructor(body: Buffer, long: ReadonlySet<number>, settings: LongJsonSettings) {
    this.#body = body;
    this.#long = long;
    this.#settings = settings;
  }

  *read(): Generator<void, Datum> {
    const body = this.#body;
    const { pieceBytes } = this.#settings;
    const whole = partFrom(0, true);
    this.#open.push(whole);
    let part = whole;
    /** Levels below what is open. */
    let depth = 0;
    let step = pieceBytes;
    for (let at = 0; at < body.length; at++) {
      const byte = body[at];
      if (byte === QUOTE) {
        at = endOfString(body, at + 1);
      } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        if (this.#long.has(at)) part = this.#begin(part, at);
        else depth++;
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        if (depth > 0) depth--;
        else part = this.#end(part, at);
      } else if (byte === COMMA && depth === 0) {
        this.#comma(part, at);
      }
      if (at < step) continue;
      step = at + pieceBytes;
      yield;
    }
    this.#close(whole, body.length);
    const [datum] = whole.array;
    if (datum === undefined || whole.array.length > 1) throw new SyntaxError('not one value');
    return datum;
  }

  /** A long array or object begins: what stands before it is read. */
  #begin(part: Part, at: number): Part {
    if (part.isRead) throw noComma();
    if (part.item > part.from) this.#take(part, part.item - 1);
    const inner = partFrom(at + 1, this.#body[at] === OPEN_BRACKET);
    const value = inner.object ?? inner.array;
    if (part.object !== undefined) setField(part.object, this.#key(part.item, at), value);
    else if (this.#isBlank(part.item, at)) part.array.push(value);
    else throw noComma();
    part.isBegun = true;
    this.#open.push(inner);
    return inner;
  }

  /** What is open ends; gives what is open around it. */
  #end(part: Part, at: number): Part {
    this.#close(part, at);
    this.#open.pop();
    const outer = this.#open.at(-1);
    if (outer === undefined) throw new SyntaxError('a bracket that was not opened');
    outer.from = at + 1;
    outer.isRead = true;
    return outer;
  }

  #comma(part: Part, at: number): void {
    const isPiece = at - part.from >= this.#settings.pieceBytes;
    if (part.isRead) this.#leave(part, at);
    else if (isPiece) this.#take(part, at);
    if (part.isRead || isPiece) part.from = at + 1;
    part.isRead = false;
    part.item = at + 1;
  }

  #close(part: Part, at: number): void {
    if (part.isRead) this.#leave(part, at);
    else if (part.isBegun || !this.#isBlank(part.from, at)) this.#take(part, at);
  }

  /** Nothing stands behind what is read. */
  #leave(part: Part, at: number): void {
    if (!this.#isBlank(part.from, at)) throw noComma();
  }

  /** Reads the items or fields before `end`. */
  #take(part: Part, end: number): void {
    const { textOf, parse } = this.#settings;
    if (this.#isBlank(part.from, end)) throw noComma();
    const text = textOf(this.#body.subarray(part.from, end));
    part.isBegun = true;
    if (part.object === undefined) {
      const items = parse(`[${text}]`);
      if (Array.isArray(items)) for (const item of items) part.array.push(item);
    } else {
      const fields = parse(`{${text}}`);
      if (!isObject(fields)) return;
      for (const key of Object.keys(fields)) setField(part.object, key, fields[key] ?? null);
    }
  }

  /** The key of a field, which stands with its colon between two places. */
  #key(from: number, to: number): string {
    const { textOf, parse } = this.#settings;
    const field = parse(`{${textOf(this.#body.subarray(from, to))}null}`);
    const [key] = isObject(field) ? Object.keys(field) : [];
    if (key === undefined) throw noComma();
    return key;
  }

  #isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (!BLANKS.has(this.#body[at] ?? 0)) return false;
    return true;
  }
}

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09]);

function noComma(): SyntaxError {
  return new SyntaxError('no comma between two values, or none after one');
}

/** Where the string ends that began before `at`: at its quotation mark, or at the end of the text. */
export function endOfString(body: Buffer, at: number): number {
  let end = at;
  while (end < body.length && body[end] !== QUOTE) end += body[end] === BACKSLASH ? 2 : 1;
  return end;
}
