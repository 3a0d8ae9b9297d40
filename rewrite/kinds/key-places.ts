// The places at which computed rows show the primary keys of the rows of tables that they are made of. A row that shows all of them is
// known by them: whatever else of it changes, it is the same row.
//
//   t.merge(row => ({ author: u.get(row('by')) }))      ['id']
//   t.map(row => ({ key: row('id'), n: ... }))          ['key']
//   t.eqJoin('by', u)                                   ['left', 'id']: the right row is found by its primary key, so that it is one
//   t.eqJoin('id', u, { index: 'by' })                  ['left', 'id'] and ['right', 'id']

import { type Datum, getField, isObject } from '../reql/data/datum.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts, type VarId, varOf } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import { HANDING_ON } from '../sources/selecting-terms.ts';

/** The names of fields that lead to a part of a row, the outermost first. */
export type Path = readonly string[];

/** The place of the primary key of a table. */
export interface KeyPlace {
  readonly table: CallTerm;
  /** The path to it where the primary key has this name; `undefined` where it is not shown. */
  pathOf(key: string): Path | undefined;
}

/** At least one place. */
export type KeyPlaces = readonly [KeyPlace, ...KeyPlace[]];

/**
 * The places of the keys by which each row of a term is known, if no row of a table comes twice; `undefined` where there are no such.
 */
export function keyPlaces(rows: Term | undefined): KeyPlaces | undefined {
  return rows?.kind === 'call' ? rules.get(rows.type)?.(rows) : undefined;
}

/** The key by which a row is known: what stands at the paths, in a list where they are several; null for what is not there. */
export function keyAt(row: Datum, paths: readonly Path[]): Datum {
  const parts = paths.map((path) => partAt(row, path));
  const [only = null] = parts;
  return parts.length === 1 ? only : parts;
}

function partAt(row: Datum, path: Path): Datum {
  let part: Datum | undefined = row;
  for (const name of path) part = part !== undefined && isObject(part) ? getField(part, name) : undefined;
  return part ?? null;
}

type Rule = (term: CallTerm) => KeyPlaces | undefined;

const handedOn: Rule = ({ args: [below] }) => keyPlaces(below);

/** The term itself says what is made of each row. */
const made: Rule = (term) => {
  const [below] = term.args;
  return moved(keyPlaces(below), (path) => placeIn(term, (part) => (part === below ? path : undefined)));
};

const mapped: Rule = ({ args: [below, func, ...more] }) => {
  const parts = func === undefined ? undefined : funcParts(func);
  if (parts === undefined || more.length > 0) return undefined;
  const [param] = parts.params;
  return moved(keyPlaces(below), (path) => placeIn(parts.body, (part) => (isRow(part, param) ? path : undefined)));
};

const eqJoined: Rule = ({ args: [left, , right], optargs }) =>
  optargs.some(([name]) => name === 'index') ? pairs(left, right) : side(left, 'left');

const joined: Rule = ({ args: [left, right] }) => pairs(left, right);

const rules: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  [TermType.TABLE, (table) => [{ table, pathOf: (key) => [key] }]],
  ...[...HANDING_ON, TermType.BETWEEN, TermType.BETWEEN_DEPRECATED, TermType.GET_ALL].map((type): [number, Rule] => [
    type,
    handedOn,
  ]),
  ...[TermType.MERGE, TermType.PLUCK, TermType.WITHOUT, TermType.WITH_FIELDS].map((type): [number, Rule] => [
    type,
    made,
  ]),
  [TermType.MAP, mapped],
  [TermType.EQ_JOIN, eqJoined],
  [TermType.INNER_JOIN, joined],
  [TermType.OUTER_JOIN, joined],
]);

function pairs(left: Term | undefined, right: Term | undefined): KeyPlaces | undefined {
  const [lefts, rights] = [side(left, 'left'), side(right, 'right')];
  return lefts === undefined || rights === undefined ? undefined : [...lefts, ...rights];
}

function side(rows: Term | undefined, name: string): KeyPlaces | undefined {
  return moved(keyPlaces(rows), (path) => [name, ...path]);
}

function moved(places: KeyPlaces | undefined, move: (path: Path) => Path | undefined): KeyPlaces | undefined {
  if (places === undefined) return undefined;
  const one = ({ table, pathOf }: KeyPlace): KeyPlace => ({
    table,
    pathOf: (key) => {
      const path = pathOf(key);
      return path === undefined ? undefined : move(path);
    },
  });
  const [first, ...more] = places;
  return [one(first), ...more.map(one)];
}

function isRow(term: Term, param: VarId | undefined): boolean {
  if (term.kind === 'call' && term.type === TermType.IMPLICIT_VAR) return true;
  return param !== undefined && varOf(term) === param;
}

/** Says the path to what is looked for, where the term itself is or holds it. */
type Find = (term: Term) => Path | undefined;

/** The path at which the value of a term shows what is looked for; `undefined` where it does not for certain. */
function placeIn(term: Term, find: Find): Path | undefined {
  const own = find(term);
  if (own !== undefined || term.kind === 'datum') return own;
  if (term.kind === 'object') return placeInFields(term.fields, find);
  return parts.get(term.type)?.(term, find);
}

function placeInFields(fields: readonly (readonly [string, Term])[], find: Find): Path | undefined {
  for (const [name, value] of fields) {
    const path = placeIn(value, find);
    if (path !== undefined) return [name, ...path];
  }
  return undefined;
}

type PartRule = (term: CallTerm, find: Find) => Path | undefined;

const field: PartRule = ({ args: [below, name] }, find) => {
  const path = below === undefined ? undefined : placeIn(below, find);
  return path !== undefined && name?.kind === 'datum' && path[0] === name.value ? path.slice(1) : undefined;
};

/** Objects are merged one after the other: what a later one names is its own. */
const merged: PartRule = ({ args: [below, ...objects] }, find) => {
  const before = below === undefined ? undefined : placeIn(below, find);
  return objects.reduce<Path | undefined>((path, object) => {
    const func = funcParts(object);
    const body = func?.body ?? object;
    if (path?.[0] !== undefined && namesIn(body)?.includes(path[0]) === false) return path;
    // A function is called with what is merged into.
    return placeIn(body, (part) => (func !== undefined && isRow(part, func.params[0]) ? path : find(part)));
  }, before);
};

/** The fields of an object that is written out; `undefined` for any other term. */
function namesIn(term: Term): readonly string[] | undefined {
  if (term.kind === 'object') return term.fields.map(([name]) => name);
  return term.kind === 'datum' && isObject(term.value) ? Object.keys(term.value) : undefined;
}

const plucked: PartRule = ({ args: [below, ...names] }, find) => {
  const path = below === undefined ? undefined : placeIn(below, find);
  return names.some((name) => name.kind === 'datum' && name.value === path?.[0]) ? path : undefined;
};

const without: PartRule = ({ args: [below, ...names] }, find) => {
  const path = below === undefined ? undefined : placeIn(below, find);
  const isLeft = (name: Term): boolean =>
    name.kind === 'datum' && typeof name.value === 'string'
      ? name.value !== path?.[0]
      : path?.[0] !== undefined && namesIn(name)?.includes(path[0]) === false;
  return names.every(isLeft) ? path : undefined;
};

/** Terms that make a value of another. */
const parts: ReadonlyMap<number, PartRule> = new Map<number, PartRule>([
  [TermType.BRACKET, field],
  [TermType.GET_FIELD, field],
  [TermType.MERGE, merged],
  [TermType.PLUCK, plucked],
  [TermType.WITH_FIELDS, plucked],
  [TermType.WITHOUT, without],
]);
