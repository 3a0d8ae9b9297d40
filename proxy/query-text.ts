// Queries in logs: readable ReQL, without the data in it unless that is wanted. Nothing is computed for a line that is not
// written, since loggers ask for the JSON of their fields last.

import { TermType } from '../rewrite/reql/term-type.ts';
import { parseQuery } from '../rewrite/term/parse.ts';
import { printTerm } from '../rewrite/term/print.ts';
import type { Term } from '../rewrite/term/term.ts';
import { mapInScope } from '../rewrite/term/walk.ts';

/** Terms whose literals are names, of variables, databases, tables and fields, and no data. */
const NAMING: ReadonlySet<number> = new Set([
  TermType.VAR,
  TermType.DB,
  TermType.TABLE,
  TermType.BRACKET,
  TermType.GET_FIELD,
]);

/** What stands in the place of data. */
const HIDDEN = '…';

/** A query's body as a field of a log line. */
export class QueryText {
  readonly #body: Buffer;
  readonly #literals: boolean;

  /** `literals`: whether the data in the query may be shown. */
  constructor(body: Buffer, literals: boolean) {
    this.#body = body;
    this.#literals = literals;
  }

  /** Whether data may be shown with it. */
  get showsData(): boolean {
    return this.#literals;
  }

  toJSON(): string {
    const parsed = parseQuery(this.#body.toString());
    if (!('term' in parsed)) return this.#literals ? this.#body.toString() : HIDDEN;
    return printTerm(this.#literals ? parsed.term : withoutData(parsed.term));
  }
}

/** Where a term stands: `keep` says that its own literals are names. */
interface Place {
  readonly keep: boolean;
  /** The list of parameters, below a function. */
  readonly params: Term | undefined;
}

/** The term with every datum but names replaced. */
function withoutData(root: Term): Term {
  return mapInScope<Place>(
    root,
    { keep: false, params: undefined },
    {
      enter(term, { params }) {
        if (term.kind !== 'call') return { keep: false, params: undefined };
        const isFunc = term.type === TermType.FUNC;
        return { keep: NAMING.has(term.type) || term === params, params: isFunc ? term.args[0] : undefined };
      },
      leave(term, { keep }) {
        return term.kind === 'datum' && !keep ? { kind: 'datum', value: HIDDEN } : term;
      },
    },
  );
}
