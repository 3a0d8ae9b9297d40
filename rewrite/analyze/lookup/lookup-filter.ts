// A filter that looks rows up for each element: what has to be equal is a key, what is asked of the rows alone is a filter of them.

import type { JoinKeys } from '../../live.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import { callWith } from '../../reql/term/call-with.ts';
import { freeVars } from '../../reql/term/facts.ts';
import { substituteVar } from '../../reql/term/substitute.ts';
import type { CallTerm, ObjectTerm, Term } from '../../reql/term/term.ts';
import { funcParts, funcTerm, type VarId } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Context } from '../context.ts';
import { argumentCanFail } from '../failure.ts';
import { optargOf } from '../rules/argument.ts';

/** A filter of rows that are looked up, as a key and the rest. */
export interface FilterKey {
  /** The key of an element. */
  readonly key: Term;
  /** What of a row has to be equal to it: names of fields, or a function. */
  readonly of: Term;
  readonly keys: JoinKeys;
  readonly missingIsNone: boolean;
  rightKeys(t: Builder, row: Term): Term;
  readonly fails: boolean;
  /** What rows have to pass, whatever the element. */
  readonly above: readonly CallTerm[];
  /** The whole filter has to be asked again of the rows with the key. */
  readonly again: boolean;
}

/** Whether a term reads the element for which rows are looked up. */
type Reads = (term: Term) => boolean;

const WHAT_WORKS =
  "Look them up by what is equal: `row => row('field').eq(...)`, alone or in an `and`, or `{field: ...}`";

/**
 * The equalities of a filter.
 * @throws ReqlError where there is none
 */
export function equalities(context: Context, term: CallTerm, reads: Reads): FilterKey {
  const [, predicate] = term.args;
  const asDefault = optargOf(term, 'default');
  if (asDefault !== undefined && !(asDefault.kind === 'datum' && asDefault.value === false)) {
    throw refusal(term, 'it looks rows up for each element, with a `default` of its own. Leave `default` out');
  }
  if (predicate?.kind === 'object') return ofObject(context, term, predicate, reads);
  const parts = predicate === undefined ? undefined : funcParts(predicate);
  const [param, ...more] = parts?.params ?? [];
  if (parts === undefined || param === undefined || more.length > 0) {
    throw refusal(term, `it looks rows up for each element by something that is not written out. ${WHAT_WORKS}`);
  }
  return ofFunction(context, term, param, parts.body, reads);
}

/** A value of a row, and that of an element to which it has to be equal. */
export interface Equality {
  readonly own: Term;
  readonly other: Term;
}

/** Both sides of an equality, one of which reads some variable that the other does not. */
export function equality(term: Term, isOwn: Reads, isOther: Reads): Equality | undefined {
  if (term.kind !== 'call' || term.type !== TermType.EQ || term.args.length !== 2) return undefined;
  const [a, b] = term.args;
  if (a === undefined || b === undefined) return undefined;
  const fits = (own: Term, other: Term): boolean => isOwn(own) && !isOther(own) && isOther(other) && !isOwn(other);
  if (fits(a, b)) return { own: a, other: b };
  return fits(b, a) ? { own: b, other: a } : undefined;
}

/** The conditions that have to hold at once. */
export function conjuncts(term: Term): readonly Term[] {
  return term.kind === 'call' && term.type === TermType.AND ? term.args.flatMap(conjuncts) : [term];
}

function ofFunction(context: Context, term: CallTerm, param: VarId, body: Term, reads: Reads): FilterKey {
  const isOwn: Reads = (of) => freeVars(of).has(param);
  const all = conjuncts(body);
  const keys = all.flatMap((one) => equality(one, isOwn, reads) ?? []);
  if (keys.length === 0) throw refusal(term, `it looks rows up for each element by no equality. ${WHAT_WORKS}`);
  const ofRows = all.filter((one) => !reads(one));
  const t = context.builder(term);
  const owns = keys.map(({ own }) => own);
  const condition = ofRows.length === 0 ? [] : [filterOf(term, funcTerm([param], allOf(t, ofRows), term))];
  return {
    key: together(
      t,
      keys.map(({ other }) => other),
    ),
    of: funcTerm([param], together(t, owns), term),
    keys: 'any',
    missingIsNone: true,
    rightKeys: (b, row) =>
      b.default(
        b.array(
          together(
            b,
            owns.map((own) => substituteVar(own, param, row)),
          ),
        ),
        [],
      ),
    fails: owns.some((own) => argumentCanFail(funcTerm([param], own, term), true)),
    above: condition,
    again: keys.length + ofRows.length < all.length,
  };
}

function ofObject(context: Context, term: CallTerm, { fields }: ObjectTerm, reads: Reads): FilterKey {
  const keys = fields.filter(([, value]) => reads(value));
  const t = context.builder(term);
  if (keys.some(([, value]) => value.kind === 'object')) {
    throw refusal(term, `it looks rows up for each element by a field within a field. ${WHAT_WORKS}`);
  }
  const others = fields.filter(([, value]) => !reads(value));
  const names = keys.map(([name]) => name);
  return {
    key: together(
      t,
      keys.map(([, value]) => value),
    ),
    of: together(
      t,
      names.map((name): Term => ({ kind: 'datum', value: name })),
    ),
    keys: 'fields',
    missingIsNone: false,
    rightKeys: (b, row) =>
      b.default(
        b.array(
          together(
            b,
            names.map((name) => b.bracket(row, name)),
          ),
        ),
        [],
      ),
    fails: false,
    above: others.length === 0 ? [] : [filterOf(term, { kind: 'object', fields: others })],
    again: false,
  };
}

/** One value by itself, several as an array. */
function together(t: Builder, values: readonly Term[]): Term {
  const [only, ...more] = values;
  return only !== undefined && more.length === 0 ? only : t.array(...values);
}

/** Several tests as one. */
export function allOf(t: Builder, tests: readonly Term[]): Term {
  const [only, ...more] = tests;
  return only !== undefined && more.length === 0 ? only : t.and(...tests);
}

function filterOf(like: CallTerm, predicate: Term): CallTerm {
  return callWith(like, { args: [...like.args.slice(0, 1), predicate], optargs: [] });
}
