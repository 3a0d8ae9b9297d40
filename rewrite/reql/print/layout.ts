// Lays out text in lines of a given width, after Wadler's "A prettier printer": a group stands on one line where it fits,
// and otherwise all its own line breaks are taken. Callers owe documents without newlines in their strings.

/** A document: text, documents in sequence, or one of the forms below. */
export type Doc = string | readonly Doc[] | Line | Indent | Group | IfBroken;

/** A line break; `flat` is what stands for it where the group around it is on one line. */
interface Line {
  readonly doc: 'line';
  readonly flat: string;
}

interface Indent {
  readonly doc: 'indent';
  readonly body: Doc;
}

interface Group {
  readonly doc: 'group';
  readonly body: Doc;
}

/** Text that stands only where the group around it is broken. */
interface IfBroken {
  readonly doc: 'ifBroken';
  readonly text: string;
}

/** A space, or a line break. */
export const LINE: Doc = { doc: 'line', flat: ' ' };
/** Nothing, or a line break. */
export const SOFTLINE: Doc = { doc: 'line', flat: '' };

export const indent = (...body: readonly Doc[]): Doc => ({ doc: 'indent', body });
export const group = (...body: readonly Doc[]): Doc => ({ doc: 'group', body });
export const ifBroken = (text: string): Doc => ({ doc: 'ifBroken', text });

/** The parts with a separator between them. */
export function join(separator: Doc, parts: readonly Doc[]): Doc {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

interface Command {
  readonly margin: number;
  readonly broken: boolean;
  readonly doc: Doc;
}

const INDENT = 2;
/** Lines deeper than this begin no further right: indentation of nested text would grow with the square of its depth. */
const DEEPEST_MARGIN = 80;

/** The text of a document, with lines of at most `width` columns where that is possible; in one line for an infinite width. */
export function layout(document: Doc, width: number): string {
  const commands: Command[] = [{ margin: 0, broken: Number.isFinite(width), doc: document }];
  let out = '';
  let column = 0;
  for (let command = commands.pop(); command !== undefined; command = commands.pop()) {
    const { margin, broken, doc } = command;
    if (typeof doc === 'string') {
      out += doc;
      column += doc.length;
    } else if ('doc' in doc && doc.doc === 'line') {
      out += broken ? `\n${' '.repeat(margin)}` : doc.flat;
      column = broken ? margin : column + doc.flat.length;
    } else if ('doc' in doc && doc.doc === 'group') {
      const flat = { margin, broken: false, doc: doc.body };
      const breaks = broken && !fits(flat, commands, width - column);
      commands.push({ ...flat, broken: breaks });
    } else {
      pushParts(commands, command, doc);
    }
  }
  return out;
}

/** The parts of what is neither text, a line nor a group. */
function pushParts(commands: Command[], { margin, broken }: Command, doc: readonly Doc[] | Indent | IfBroken): void {
  if (!('doc' in doc)) {
    for (let index = doc.length - 1; index >= 0; index--) {
      const part = doc[index];
      if (part !== undefined) commands.push({ margin, broken, doc: part });
    }
  } else if (doc.doc === 'indent') {
    commands.push({ margin: Math.min(margin + INDENT, DEEPEST_MARGIN), broken, doc: doc.body });
  } else if (broken) {
    commands.push({ margin, broken, doc: doc.text });
  }
}

/** Whether a group on one line, and what follows it up to the next possible line break, fits. */
function fits(first: Command, rest: readonly Command[], room: number): boolean {
  const commands: Command[] = [first];
  let left = room;
  let next = rest.length - 1;
  while (left >= 0) {
    let command = commands.pop();
    if (command === undefined) {
      command = rest[next];
      next -= 1;
      if (command === undefined) return true;
    }
    const { doc, broken, margin } = command;
    if (typeof doc === 'string') {
      left -= doc.length;
    } else if ('doc' in doc && doc.doc === 'line') {
      if (broken) return true;
      left -= doc.flat.length;
    } else if ('doc' in doc && doc.doc === 'group') {
      commands.push({ margin, broken: false, doc: doc.body });
    } else {
      pushParts(commands, command, doc);
    }
  }
  return false;
}
