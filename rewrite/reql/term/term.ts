// The shape of a ReQL term. The wire's uniformity is kept: a term is a datum, an object of terms, or a call with
// arguments and optargs; what is special about a term number is a row of `signatures.ts`, never an interface of its own.

import type { Datum } from '../data/datum.ts';
import type { Origin } from '../origin.ts';

interface Written {
  /**
   * The JSON of this term, which the serializer emits as it stands: what the client wrote, or that of a constant or of a whole
   * query of ours; absent on other generated terms.
   */
  readonly text?: string;
  /** The place in the client's query that this term is, or that a generated term stands for. */
  readonly origin?: Origin;
}

/** A literal: a bare scalar of the wire, or `[1, value]` (DATUM), whose value may be an array or an object. */
export interface DatumTerm extends Written {
  readonly kind: 'datum';
  readonly value: Datum;
}

/** A bare object of the wire, whose values are terms. Fields keep their order; keys may repeat (the server refuses that). */
export interface ObjectTerm extends Written {
  readonly kind: 'object';
  readonly fields: readonly Entry[];
}

/** `[type, args, optargs]`. An array literal is a call of MAKE_ARRAY; a function a call of FUNC. */
export interface CallTerm extends Written {
  readonly kind: 'call';
  readonly type: number;
  readonly args: readonly Term[];
  readonly optargs: readonly Entry[];
}

/** A named part: a field of an object, or an optarg in its wire spelling (`include_initial`). */
export type Entry = readonly [name: string, term: Term];

export type Term = DatumTerm | ObjectTerm | CallTerm;

/** A START query taken apart: its root term and its global optargs. */
export interface StartQuery {
  readonly term: Term;
  readonly globalOptargs: readonly Entry[];
}
