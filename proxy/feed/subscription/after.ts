// The terms after `changes`, run on the documents of the proxy plan.

import { type StageName, stageNameOf } from '../../../rewrite/after-changes.ts';
import { onTop, withVariables } from '../../../rewrite/plan/projection.ts';
import { refusal, spelling } from '../../../rewrite/refusal.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import { logicError, ReqlError } from '../../../rewrite/reql/error.ts';
import { asOption } from '../../../rewrite/reql/eval/core/outside-context.ts';
import { evaluateClosed, pureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import type { CallTerm, Term } from '../../../rewrite/reql/term/term.ts';
import { type FreshVars, funcTerm, varTerm } from '../../../rewrite/reql/term/vars.ts';
import { elementsOf } from '../operator/row-elements.ts';
import type { DocumentView } from './document-view.ts';
import type { FeedDocument } from './documents.ts';

/** What a term after `changes` makes of the documents of a feed. */
interface Stage {
  run(documents: readonly Datum[]): readonly Datum[];
  /** Whether no document comes any more. */
  readonly ended: boolean;
  /** Whether that can ever be. */
  readonly mayEnd: boolean;
}

/** The outcome of some documents. */
export interface AfterResult {
  readonly texts: readonly string[];
  /** What a term raised; the texts are of the documents before. */
  readonly error: ReqlError | undefined;
}

/** An answer takes no more than this part of the steps that one document may. */
const ANSWERS = 8;
/** Steps that it takes to make a stage, beside those of what the evaluator compiles. */
const STAGE_STEPS = 1000;

/** The chain of terms after `changes`, with what its `limit`s and `skip`s have counted. */
export class AfterChanges {
  readonly #stages: readonly Stage[];
  readonly #meter: Meter;
  readonly #view: DocumentView;
  /** Steps since the last answer was begun. */
  #spent = 0;

  /** @throws ReqlError for a term that cannot run on documents here, and what evaluating its arguments raises. */
  constructor(after: readonly CallTerm[], context: EvalContext, view: DocumentView) {
    const fresh = freshVars(...after);
    context.meter.spend(STAGE_STEPS * after.length);
    this.#stages = after.map((term) => stageOf(term, context, fresh));
    this.#meter = context.meter;
    this.#view = view;
  }

  /** Whether a `limit` has had its fill: no document comes any more. */
  get ended(): boolean {
    return this.#stages.some(({ ended }) => ended);
  }

  /** Whether documents that are shown at first may be all that come: the first answer is to hold them then, as RethinkDB's does. */
  get mayEnd(): boolean {
    return this.#stages.some(({ mayEnd }) => mayEnd);
  }

  /** Begins an answer: what it holds may cost so much, and the rest waits for the next. */
  begin(): void {
    this.#spent = 0;
  }

  /** Whether the answer had better go as it is. */
  get isTired(): boolean {
    return this.#spent > this.#meter.most / ANSWERS;
  }

  /** Runs documents through the terms. */
  take(documents: readonly FeedDocument[]): AfterResult {
    const texts: string[] = [];
    try {
      for (const document of documents) {
        if (this.ended) break;
        this.#meter.renew();
        for (const result of this.#run(this.#view.datum(document))) {
          texts.push(jsonText(result, this.#meter));
        }
        this.#spent += this.#meter.spent;
      }
      return { texts, error: undefined };
    } catch (error) {
      if (error instanceof ReqlError) return { texts, error };
      throw error;
    }
  }

  #run(document: Datum): readonly Datum[] {
    return this.#stages.reduce<readonly Datum[]>((documents, stage) => stage.run(documents), [document]);
  }
}

function stageOf(term: CallTerm, context: EvalContext, fresh: FreshVars): Stage {
  const name = stageNameOf(term);
  if (name === undefined) throw refusal(term, 'it cannot run on the documents of a feed. Leave it out');
  return stages[name](term, context, fresh);
}

const stages: { readonly [Name in StageName]: (term: CallTerm, context: EvalContext, fresh: FreshVars) => Stage } = {
  each(term, context, fresh) {
    const param = fresh();
    const body = onTop(withVariables(term, fresh), varTerm(param, term));
    const apply = pureFunction(funcTerm([param], body, term), context);
    return { run: (documents) => elementsOf(apply([documents])), ended: false, mayEnd: false };
  },
  limit: (term, context) => new Limit(countOf(term, term.args[1], context)),
  skip: (term, context) => new Skip(countOf(term, term.args[1], context)),
};

/** Lets so many documents pass. */
class Limit implements Stage {
  readonly mayEnd = true;
  #left: number;

  constructor(count: number) {
    this.#left = count;
  }

  get ended(): boolean {
    return this.#left === 0;
  }

  run(documents: readonly Datum[]): readonly Datum[] {
    const passing = documents.slice(0, this.#left);
    this.#left -= passing.length;
    return passing;
  }
}

/** Holds so many documents back. */
class Skip implements Stage {
  readonly ended = false;
  readonly mayEnd = false;
  #left: number;

  constructor(count: number) {
    this.#left = count;
  }

  run(documents: readonly Datum[]): readonly Datum[] {
    const passing = documents.slice(this.#left);
    this.#left -= documents.length - passing.length;
    return passing;
  }
}

function countOf(term: CallTerm, argument: Term | undefined, context: EvalContext): number {
  const count = asOption(`The argument of \`${spelling(term)}\` takes`, context.meter, argument?.origin, () => {
    // The evaluator raises the error of the argument.
    evaluateClosed(onTop(term, { kind: 'datum', value: [] }), context);
    return argument === undefined ? 0 : evaluateClosed(argument, context);
  });
  if (typeof count !== 'number' || count < 0) {
    throw logicError('Cannot use a negative left index on a stream.', term.origin);
  }
  return count;
}
