// Functions that read tables for each of the values that are written out: one expression for each value.
//
//   [1, 2].map(k => t.getAll(k).count())          [t.getAll(1).count(), t.getAll(2).count()]
//   [1, 2].filter(k => t.getAll(k).count().gt(0)) what is left of both, as arrays that are added
//   [1, 2].concatMap(k => t.getAll(k))            t.getAll(1).union(t.getAll(2))
//   [{k: 1}].merge(o => ({n: t.getAll(o('k')).count()}))     [{k: 1}.merge({n: t.getAll(1).count()})]

import type { Builder } from '../../reql/build/build.ts';
import { isObject } from '../../reql/data/datum.ts';
import { callWith } from '../../reql/term/call-with.ts';
import { canonicalKey } from '../../reql/term/canonical-key.ts';
import { factsOf } from '../../reql/term/facts.ts';
import { bindImplicit, substituteVar } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { unfoldDatum } from '../../reql/term/unfold-datum.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis } from '../analysis.ts';
import { constantValue, isConstant } from '../constant.ts';
import type { Context } from '../context.ts';
import type { Piece, StreamType } from '../piece.ts';
import { asStream } from './stream-type.ts';

/** Steps for each term of the function, for each value. */
const TERM_STEPS = 10;

/** One of the values, and what the function makes of it. */
interface Written {
  readonly value: Term;
  readonly made: Term;
}

/** What a term makes of what its function makes of each value. */
type Whole = (analysis: Analysis, t: Builder, term: CallTerm, each: readonly Written[]) => Term;

const wholes: ReadonlyMap<number, Whole> = new Map<number, Whole>([
  [TermType.MAP, (_, t, _term, each) => t.array(...each.map(({ made }) => made))],
  [
    TermType.MERGE,
    (_, t, { args: [into] }, each) => {
      const merged = each.map(({ value, made }) => t.merge(value, made));
      const [only] = merged;
      // An object is merged into itself, a list item by item.
      return only !== undefined && each[0]?.value === into ? only : t.array(...merged);
    },
  ],
  [
    TermType.FILTER,
    (_, t, _term, each) =>
      t.add(t.array(), ...each.map(({ value, made }) => t.branch(t.default(made, false), t.array(value), t.array()))),
  ],
  [
    TermType.CONCAT_MAP,
    (analysis, t, term, each) => {
      const all = each.map(({ made }) => made);
      const [first, ...more] = all;
      if (first === undefined || analysis.analyze(first).kind !== 'stream') return t.add(t.array(), ...all);
      return callWith(term, {
        type: TermType.UNION,
        args: [first, ...more],
        optargs: [['interleave', t.datum(false)]],
      });
    },
  ],
]);

/** A stream that is not of rows of a table. */
const STREAM: StreamType = { selection: false, inMemory: false };

/** What such a term is; `undefined` for any other. */
export function eachWritten(analysis: Analysis, term: CallTerm): Piece | undefined {
  const { context } = analysis;
  const [list, given, ...more] = term.args;
  const whole = wholes.get(term.type);
  if (whole === undefined || list === undefined || given === undefined || more.length > 0 || term.optargs.length > 0)
    return undefined;
  const each = writtenEach(context, term, list, given);
  if (each === undefined) return undefined;
  const piece = analysis.analyze(whole(analysis, context.builder(term), term, each));
  return piece.kind === 'value' && isRange(list) ? asStream(piece, STREAM) : piece;
}

function writtenEach(context: Context, term: CallTerm, list: Term, given: Term): readonly Written[] | undefined {
  const parts = funcParts(bindImplicit(given, context.fresh));
  const [param] = parts?.params ?? [];
  if (parts === undefined || param === undefined || parts.params.length !== 1) return undefined;
  const { table, terms } = factsOf(parts.body);
  const values = table === undefined ? undefined : (valuesOf(list) ?? objectOf(term, list));
  if (values === undefined) return undefined;
  const known = new Map<string, Term>();
  return values.map((value) => {
    const key = canonicalKey(value);
    const before = known.get(key);
    if (before !== undefined) return { value, made: before };
    context.spend(TERM_STEPS * (terms + 1), term);
    const made = substituteVar(parts.body, param, value);
    known.set(key, made);
    return { value, made };
  });
}

/** The values of a list that is a constant, as terms. */
function valuesOf(list: Term): readonly Term[] | undefined {
  if (!isConstant(list)) return undefined;
  const written = unfoldDatum(list);
  if (written.kind === 'call' && written.type === TermType.MAKE_ARRAY) return written.args;
  const value = constantValue(list);
  return Array.isArray(value) ? value.map((item): Term => ({ kind: 'datum', value: item })) : undefined;
}

/** An object that is written out, and merged into. */
function objectOf({ type }: CallTerm, of: Term): readonly Term[] | undefined {
  return type === TermType.MERGE && isConstant(of) && isObject(constantValue(of) ?? null) ? [of] : undefined;
}

/** Whether a list is `r.range`, or what terms for each of its numbers make of it: a stream. */
function isRange(list: Term): boolean {
  for (let at: Term | undefined = list; at?.kind === 'call'; at = at.args[0]) {
    if (at.type === TermType.RANGE) return true;
    if (!streaming.has(at.type)) return false;
  }
  return false;
}

const streaming: ReadonlySet<number> = new Set([
  TermType.MAP,
  TermType.FILTER,
  TermType.CONCAT_MAP,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
]);
