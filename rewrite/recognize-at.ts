// Recognizes a live query whose selections follow rows, for what these rows have now.

import { type Boxes, queryAt } from './analyze/followed-query.ts';
import type { Follows, Live } from './live.ts';
import { recognizing } from './recognize.ts';
import { changesOver, recognizeLive } from './recognize-live.ts';
import { failed, type Knowledge, type Recognized } from './recognized.ts';
import { refusal } from './refusal.ts';
import { countingVars } from './reql/build/fresh-vars.ts';
import { ReqlError } from './reql/error.ts';
import { factsOf } from './reql/term/facts.ts';
import type { Term } from './reql/term/term.ts';
import type { FreshVars } from './reql/term/vars.ts';

/** The outcome of recognizing a live query for one value of what it follows. */
export type RecognizedAt =
  | Extract<Recognized, { readonly kind: 'live' | 'refused' }>
  /** It reads no table: what it gives never changes. */
  | { readonly kind: 'constant'; readonly term: Term };

/** The live query for what it follows, as `Follows.of` gives it. Never throws for what it follows. */
export function recognizeAt(
  { changes, globalOptargs, follows }: Live,
  boxes: Boxes,
  fresh: FreshVars,
  knowledge: Knowledge,
): RecognizedAt {
  if (follows === undefined) throw new TypeError('a query that follows nothing');
  const term = termAt(follows, boxes, countingVars(fresh, knowledge.meter));
  if (term instanceof ReqlError) return { kind: 'refused', error: term };
  if (factsOf(term).table === undefined) return { kind: 'constant', term };
  const found = { changes: changesOver(changes, term), after: [] };
  const recognized = recognizeLive({ term: found.changes, globalOptargs }, found, {
    ...recognizing(knowledge),
    // The server has been asked what the query cannot do without.
    asks: false,
  });
  if (recognized.kind === 'live' || recognized.kind === 'refused') return recognized;
  return {
    kind: 'refused',
    error: refusal(
      changes,
      'it cannot be watched for what the row that it follows has now. Read that first and write its value into the query',
    ),
  };
}

function termAt({ at }: Follows, boxes: Boxes, fresh: FreshVars): Term | ReqlError {
  try {
    return queryAt(at, boxes, fresh);
  } catch (error) {
    const outcome = failed(error, at);
    if (outcome.kind === 'refused') return outcome.error;
    throw error;
  }
}
