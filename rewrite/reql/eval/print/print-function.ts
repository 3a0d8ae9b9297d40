// What `info` shows of a function: its variables, and its body in the JavaScript of RethinkDB's own printer, which differs
// in places from what a driver would take.

import type { Datum } from '../../data/datum.ts';
import { termName } from '../../term/signatures.ts';
import type { CallTerm, Entry, Term } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import { BARE, driverName, isChained, variableName } from './driver-name.ts';
import { DOT, type Doc, layOut, NEWLINE, nest, SPACE } from './layout.ts';
import { COMMA, datumDoc, separated } from './print-datum.ts';

const WIDTH = 80;
const DEEPEST = 15;

/** The text of a term. */
export function printBody(term: Term): string {
  return layOut(new Printer().visit(term), WIDTH);
}

function nameOf(term: CallTerm): string {
  return driverName(termName(term.type) ?? '');
}

class Printer {
  #depth = 0;
  #prefixes = true;
  #inExpr = false;

  visit(term: Term): Doc {
    this.#depth += 1;
    if (this.#depth > DEEPEST) return '...';
    const doc = this.#inner(term);
    this.#depth -= 1;
    return doc;
  }

  #inner(term: Term): Doc {
    if (term.kind === 'datum') return this.#inExpr ? datumDoc(term.value) : this.#expr(datumDoc(term.value));
    if (term.kind === 'object') return this.#object(term.fields);
    const special = this.#special.get(term.type);
    if (special !== undefined) return special(term);
    if (isChained(term)) return this.#chain(term);
    if (term.args.length > 0 || !BARE.has(term.type)) return this.#call(term);
    return this.#r(this.#name(term));
  }

  /** Terms that are not written as calls of their name. */
  readonly #special: ReadonlyMap<number, (term: CallTerm) => Doc> = new Map<number, (term: CallTerm) => Doc>([
    [TermType.FUNCALL, (term) => (term.args.length === 2 ? this.#chain(term) : this.#do(term))],
    [
      TermType.MAKE_ARRAY,
      (term) => {
        const bare = this.#inExpr;
        const array = this.#within(true, () => ['[', nest(...separated(this.#all(term.args))), ']']);
        return bare ? array : this.#expr(array);
      },
    ],
    [TermType.MAKE_OBJ, (term) => this.#object(term.optargs)],
    [TermType.FUNC, (term) => this.#func(term)],
    [TermType.VAR, variable],
    [TermType.IMPLICIT_VAR, () => this.#r('row')],
  ]);

  #all(terms: readonly Term[]): Doc[] {
    return terms.map((term) => this.visit(term));
  }

  #within<Result>(inExpr: boolean, work: () => Result): Result {
    const before = this.#inExpr;
    this.#inExpr = inExpr;
    const result = work();
    this.#inExpr = before;
    return result;
  }

  #r(doc: Doc): Doc {
    return this.#prefixes ? ['r', nest('.', doc)] : doc;
  }

  #expr(doc: Doc): Doc {
    return this.#r(['expr', ['(', nest(doc), ')']]);
  }

  #name(term: CallTerm): string {
    return term.type === TermType.JAVASCRIPT ? 'js' : nameOf(term);
  }

  #object(fields: readonly Entry[]): Doc {
    if (this.#inExpr) {
      const pairs = fields.map(([name, value]) => nest(`"${name}":`, SPACE, this.visit(value)));
      return ['{', nest(...separated(pairs)), '}'];
    }
    return this.#wrappedObject(fields);
  }

  #wrappedObject(fields: readonly Entry[]): Doc {
    const parts = this.#within(true, () => fields.flatMap(([name, value]): Doc[] => [`"${name}"`, this.visit(value)]));
    return this.#r(['object', ['(', nest(nest(...separated(parts))), ')']]);
  }

  #optargs(entries: readonly Entry[]): Doc {
    const pairs = entries.map(([name, value]) => nest([`"${driverName(name)}":`, SPACE, this.visit(value)]));
    return ['{', nest(...separated(pairs)), '}'];
  }

  #call(term: CallTerm): Doc {
    const args = this.#within(true, () => {
      const given = this.#all(term.args);
      return term.optargs.length > 0 ? [...given, this.#optargs(term.optargs)] : given;
    });
    return this.#r([this.#name(term), ['(', nest(...separated(args)), ')']]);
  }

  // The arguments stand before the function in the wire's order, which the server's printer gets wrong.
  #do(term: CallTerm): Doc {
    const [func, ...given] = term.args;
    const args = this.#within(true, () => separated(this.#all(given)));
    const written = func === undefined ? [] : [this.visit(func)];
    return this.#r(['do', '(', ...written, nest(...args, ...(args.length > 0 ? [COMMA] : [])), ')']);
  }

  #func(term: CallTerm): Doc {
    const [params, body] = term.args;
    const names = paramNames(params);
    const list: Doc = names === undefined ? '' : ['(', nest(...separated(names)), ')'];
    const inner = body === undefined ? '' : this.#within(false, () => this.visit(body));
    return nest('func', nest('tion', ' ', list, ' ', '{', NEWLINE, ['return', ' ', nest(inner), ';']), NEWLINE, '}');
  }

  // `first.a(..).b(..)`: collected from the end.
  #chain(term: CallTerm): Doc {
    const parts: Doc[] = [];
    let at: Term | undefined = term;
    let lastIsDot = false;
    let prefix = false;
    while (at?.kind === 'call' && isChained(at)) {
      const link: Link = this.#link(at);
      parts.push(...link.parts);
      lastIsDot = link.endsWithDot;
      prefix = link.prefix;
      at = link.next;
    }
    const chain = (dotted: boolean): Doc[] => {
      const reversed = parts.toReversed();
      // No line break before the first dot.
      return dotted ? ['.', ...reversed.slice(1)] : reversed;
    };
    if (at === undefined) return prefix ? this.#r(chain(false)) : chain(false);
    const first = at;
    if (needsPrefix(first)) {
      const before = this.#prefixes;
      this.#prefixes = false;
      const head = this.visit(first);
      this.#prefixes = before;
      return this.#r([head, chain(false)]);
    }
    return nest(this.visit(first), chain(lastIsDot));
  }

  #link(term: CallTerm): Link {
    const [first, second] = term.args;
    if (term.type === TermType.BRACKET) {
      const parts: Doc[] = [')'];
      this.#within(true, () => {
        if (term.optargs.length > 0) parts.push(this.#optargs(term.optargs), SPACE, ',');
        if (second !== undefined) parts.push(this.visit(second));
      });
      return { parts: [...parts, '('], next: first, endsWithDot: false, prefix: false };
    }
    if (term.type === TermType.FUNCALL) {
      const func = first === undefined ? '' : this.#within(true, () => nest(this.visit(first)));
      return { parts: [')', func, '(', 'do', DOT], next: second, endsWithDot: true, prefix: true };
    }
    if (term.type === TermType.IMPLICIT_VAR) {
      return { parts: ['row'], next: undefined, endsWithDot: false, prefix: true };
    }
    return this.#methodLink(term);
  }

  #methodLink(term: CallTerm): Link {
    const [first, ...rest] = term.args;
    const parts: Doc[] = [')'];
    this.#within(true, () => {
      if (term.optargs.length > 0) parts.push(this.#optargs(term.optargs));
      if (rest.length === 0) return;
      const args = separated(this.#all(rest.toReversed()));
      if (term.optargs.length > 0) parts.push(COMMA);
      parts.push(nest(args.toReversed()));
    });
    parts.push('(', nameOf(term));
    if (first === undefined) return { parts, next: undefined, endsWithDot: false, prefix: true };
    parts.push(DOT);
    return { parts, next: first, endsWithDot: true, prefix: true };
  }
}

/** A step of a chain: its pieces in reverse, and what it is chained to. */
interface Link {
  readonly parts: readonly Doc[];
  readonly next: Term | undefined;
  readonly endsWithDot: boolean;
  readonly prefix: boolean;
}

function needsPrefix(term: Term): boolean {
  return !(term.kind === 'datum' || (term.kind === 'call' && term.type === TermType.VAR));
}

function variable(term: CallTerm): Doc {
  const [id] = term.args;
  return id?.kind === 'datum' && typeof id.value === 'number' ? variableName(id.value) : '';
}

function paramNames(params: Term | undefined): readonly string[] | undefined {
  const ids =
    params?.kind === 'datum' && Array.isArray(params.value)
      ? (params.value as readonly Datum[])
      : params?.kind === 'call'
        ? params.args.map((arg) => (arg.kind === 'datum' ? arg.value : null))
        : undefined;
  return ids?.map((id) => variableName(typeof id === 'number' ? id : 0));
}
