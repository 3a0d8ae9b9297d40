// Errors as RethinkDB's drivers print them: kind and text, and the query with carets under the place.

import type { Frame } from '../../rewrite/reql/origin.ts';
import { printTerm } from '../../rewrite/reql/print/print.ts';
import { callWith } from '../../rewrite/reql/term/call-with.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import type { ServerError } from '../client/server-error.ts';
import { visible } from '../terminal/display-width.ts';

/** The lines of an error that a query has met with. */
export function errorLines(error: ServerError, query: Term): readonly string[] {
  const text = printTerm(query, new Map(), Number.POSITIVE_INFINITY);
  return [
    `${error.name}: ${visible(error.message.replace(/\.$/, ''))} in:`,
    visible(text),
    caretsUnder(text, query, error.frames),
  ].filter((line) => line !== '');
}

/** How the printer writes the text that stands for the place: by itself, or where a term has to be. */
const PLACEHOLDER = '\ue000';
const PLACE = /r\.expr\((['"])\ue000\1\)|(['"])\ue000\2/;

/** A line of carets under the term that frames lead to; `''` where they lead to none. */
function caretsUnder(text: string, query: Term, frames: readonly Frame[]): string {
  const marked = replacedAt(query, frames, { kind: 'datum', value: PLACEHOLDER });
  if (marked === undefined) return '';
  const [before = '', after = ''] = textsAround(printTerm(marked, new Map(), Number.POSITIVE_INFINITY));
  if (!text.startsWith(before) || !text.endsWith(after)) return '';
  return ' '.repeat(before.length) + '^'.repeat(text.length - before.length - after.length);
}

function textsAround(text: string): readonly string[] {
  const place = PLACE.exec(text);
  return place === null ? [] : [text.slice(0, place.index), text.slice(place.index + place[0].length)];
}

function replacedAt(term: Term, [frame, ...inner]: readonly Frame[], replacement: Term): Term | undefined {
  if (frame === undefined) return replacement;
  if (term.kind === 'datum') return undefined;
  if (term.kind === 'call' && typeof frame === 'number') {
    const child = term.args[frame];
    const changed = child === undefined ? undefined : replacedAt(child, inner, replacement);
    return changed === undefined ? undefined : callWith(term, { args: term.args.with(frame, changed) });
  }
  const entries = term.kind === 'call' ? term.optargs : term.fields;
  const at = entries.findIndex(([name]) => name === frame);
  const [name, child] = entries[at] ?? [];
  const changed = name === undefined || child === undefined ? undefined : replacedAt(child, inner, replacement);
  if (name === undefined || changed === undefined) return undefined;
  const replaced = entries.with(at, [name, changed] as const);
  return term.kind === 'call' ? callWith(term, { optargs: replaced }) : { kind: 'object', fields: replaced };
}
