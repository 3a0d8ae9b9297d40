// The terms after `changes`, run on the documents of the proxy plan.

import { bound, onTop } from '../../rewrite/each.ts';
import type { EvalContext } from '../../rewrite/eval/index.ts';
import { asOption } from '../../rewrite/eval/outside-context.ts';
import { evaluateClosed, type PureFunction, pureFunction } from '../../rewrite/eval/pure-function.ts';
import { refusal, spelling } from '../../rewrite/refusal.ts';
import type { Datum } from '../../rewrite/reql/datum.ts';
import { logicError, ReqlError } from '../../rewrite/reql/error.ts';
import { jsonText } from '../../rewrite/reql/json-text.ts';
import type { Meter } from '../../rewrite/reql/meter.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { freshVars } from '../../rewrite/term/fresh-vars.ts';
import type { CallTerm, Term } from '../../rewrite/term/term.ts';
import { type FreshVars, funcTerm, varTerm } from '../../rewrite/term/vars.ts';
import { documentDatum, type FeedDocument } from './documents.ts';
import { elementsOf } from './operator/row-elements.ts';

/** Terms that see one document at a time. */
const PER_DOCUMENT: ReadonlySet<number> = new Set<number>([
  TermType.MAP,
  TermType.FILTER,
  TermType.CONCAT_MAP,
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
  TermType.WITH_FIELDS,
  TermType.HAS_FIELDS,
]);

/** Whether the terms after `changes` can be run on documents one by one. */
export function runsOnDocuments(after: readonly CallTerm[]): boolean {
  return after.every((term) => isCounting(term) || isPerDocument(term));
}

function isCounting({ type }: CallTerm): boolean {
  return type === TermType.LIMIT || type === TermType.SKIP;
}

/** `map` over several sequences is not, nor is the bracket that takes the nth document. */
function isPerDocument(term: CallTerm): boolean {
  const [, argument] = term.args;
  if (term.type === TermType.MAP) return term.args.length === 2;
  const nth = term.type === TermType.BRACKET && argument?.kind === 'datum' && typeof argument.value === 'number';
  return PER_DOCUMENT.has(term.type) && !nth;
}

/** What became of some documents. */
export interface AfterResult {
  readonly texts: readonly string[];
  /** What a term raised; the texts are of the documents before. */
  readonly error: ReqlError | undefined;
}

type Stage =
  | { readonly kind: 'each'; readonly apply: PureFunction }
  | { readonly kind: 'limit' | 'skip'; left: number };

/** The chain of terms after `changes`, with what its `limit`s and `skip`s have counted. */
export class AfterChanges {
  readonly #stages: readonly Stage[];
  readonly #meter: Meter;
  readonly #includeTypes: boolean;

  /** @throws ReqlError for a term that cannot run on documents here, and what evaluating its arguments raises. */
  constructor(after: readonly CallTerm[], context: EvalContext, includeTypes: boolean) {
    const fresh = freshVars(...after);
    this.#stages = after.map((term) => stageOf(term, context, fresh));
    this.#meter = context.meter;
    this.#includeTypes = includeTypes;
  }

  /** Whether a `limit` has had its fill: no document comes any more. */
  get ended(): boolean {
    return this.#stages.some((stage) => stage.kind === 'limit' && stage.left === 0);
  }

  /** Runs documents through the terms. */
  take(documents: readonly FeedDocument[]): AfterResult {
    const texts: string[] = [];
    try {
      for (const document of documents) {
        if (this.ended) break;
        this.#meter.renew();
        for (const result of this.#run(documentDatum(document, this.#includeTypes))) {
          texts.push(jsonText(result, this.#meter));
        }
      }
      return { texts, error: undefined };
    } catch (error) {
      if (error instanceof ReqlError) return { texts, error };
      throw error;
    }
  }

  #run(document: Datum): readonly Datum[] {
    let results: readonly Datum[] = [document];
    for (const stage of this.#stages) {
      if (stage.kind === 'each') {
        results = elementsOf(stage.apply([results]));
        continue;
      }
      const counted = Math.min(stage.left, results.length);
      stage.left -= counted;
      results = stage.kind === 'limit' ? results.slice(0, counted) : results.slice(counted);
    }
    return results;
  }
}

function stageOf(term: CallTerm, context: EvalContext, fresh: FreshVars): Stage {
  const [, argument] = term.args;
  switch (term.type) {
    case TermType.LIMIT:
      return { kind: 'limit', left: countOf(term, argument, context) };
    case TermType.SKIP:
      return { kind: 'skip', left: countOf(term, argument, context) };
    default: {
      if (!isPerDocument(term)) throw refusal(term, 'it cannot run on the documents of a feed');
      const param = fresh();
      const body = onTop(bound(term, fresh), varTerm(param, term));
      return { kind: 'each', apply: pureFunction(funcTerm([param], body, term), context) };
    }
  }
}

function countOf(term: CallTerm, argument: Term | undefined, context: EvalContext): number {
  const count = asOption(`The argument of \`${spelling(term)}\` takes`, context.meter, argument?.origin, () => {
    // The evaluator raises what is wrong with the argument.
    evaluateClosed(onTop(term, { kind: 'datum', value: [] }), context);
    return argument === undefined ? 0 : evaluateClosed(argument, context);
  });
  if (typeof count !== 'number' || count < 0) {
    throw logicError('Cannot use a negative left index on a stream.', term.origin);
  }
  return count;
}
