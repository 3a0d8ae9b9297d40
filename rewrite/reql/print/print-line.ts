// A query in one line of a log: as much of it as goes into some 2,000 characters, with the names in it and, where logs may
// show no data, without a value. The term is cut before it is printed, so that a line costs the same however long the query is.

import { type Datum, isObject } from '../data/datum.ts';
import { signatureOf } from '../term/signatures.ts';
import type { Entry, Term } from '../term/term.ts';
import { unfoldDatum } from '../term/unfold-datum.ts';
import { childrenOf } from '../term/walk.ts';
import { TermType } from '../term-type.ts';
import { printTerm, type VarNames } from './print.ts';

/** The sign in the place of data, and of terms that there is no room for. */
export const HIDDEN = '…';

/** The longest line. Of a longer query the beginning is shown, and its end, where its options are. */
const MOST_CHARACTERS = 2000;
const END_CHARACTERS = 400;
/** What is printed of a query at most, estimated in characters, before the line is cut. */
const MOST_PRINTED = 3000;
/** Characters of a literal. */
const MOST_LITERAL = 200;

/** The text of a term in one line. `showsData`: whether values may be shown; names of tables, fields and indexes always are. */
export function printLine(term: Term, showsData: boolean): string {
  const text = printTerm(new Cut(showsData).cut(term, PLAIN), new Map(), Number.POSITIVE_INFINITY);
  if (text.length <= MOST_CHARACTERS) return text;
  const start = text.slice(0, MOST_CHARACTERS - END_CHARACTERS);
  return `${start} ${HIDDEN} ${text.slice(-END_CHARACTERS)}`;
}

/** Terms are cut so late that lines are left whole, and so soon that whoever looks waits for nothing. */
const MOST_LINES = 60_000;

/** The text of a term in as many lines as it takes, for whoever looks at one query by itself; shown is what `printLine` shows. */
export function printLines(term: Term, showsData: boolean, names?: VarNames, width?: number): string {
  return printTerm(new Cut(showsData, MOST_LINES).cut(term, PLAIN), names, width);
}

/** What the literals of a place are: values; the names of fields, as text and as keys; keys with values below; or names all over. */
type Place = 'value' | 'name' | 'fields' | 'all';

/** The places of a term's arguments, from which of them on, and of its named parts. */
interface Places {
  readonly from: number;
  readonly of: Place;
}

const PLAIN: Place = 'value';

/** Terms with arguments that are no values; all others are. */
const PLACES: ReadonlyMap<number, Places> = new Map<number, Places>([
  [TermType.VAR, { from: 0, of: 'all' }],
  [TermType.DB, { from: 0, of: 'name' }],
  [TermType.TABLE, { from: 0, of: 'name' }],
  [TermType.ASC, { from: 0, of: 'name' }],
  [TermType.DESC, { from: 0, of: 'name' }],
  [TermType.BRACKET, { from: 1, of: 'name' }],
  [TermType.GET_FIELD, { from: 1, of: 'name' }],
  [TermType.HAS_FIELDS, { from: 1, of: 'all' }],
  [TermType.WITH_FIELDS, { from: 1, of: 'all' }],
  [TermType.PLUCK, { from: 1, of: 'all' }],
  [TermType.WITHOUT, { from: 1, of: 'all' }],
  [TermType.SUM, { from: 1, of: 'name' }],
  [TermType.AVG, { from: 1, of: 'name' }],
  [TermType.MIN, { from: 1, of: 'name' }],
  [TermType.MAX, { from: 1, of: 'name' }],
  [TermType.GROUP, { from: 1, of: 'name' }],
  [TermType.ORDER_BY, { from: 1, of: 'name' }],
  [TermType.EQ_JOIN, { from: 1, of: 'name' }],
  [TermType.INDEX_STATUS, { from: 1, of: 'name' }],
  [TermType.FILTER, { from: 1, of: 'fields' }],
  [TermType.MERGE, { from: 1, of: 'fields' }],
  [TermType.FUNC, { from: 1, of: 'fields' }],
]);

/** Named parts whose literals are names and switches. */
const NAMING_OPTARGS: ReadonlySet<string> = new Set([
  ...['index', 'multi', 'ordered', 'interleave', 'left_bound', 'right_bound', 'read_mode', 'aggregate'],
  ...[
    'include_initial',
    'include_states',
    'include_types',
    'include_offsets',
    'squash',
    'changefeed_queue_size',
    'shared',
    'include_healing',
    'heartbeat',
    'format',
    'include_revs',
  ],
]);

/** Cuts one query. */
class Cut {
  readonly #showsData: boolean;
  /** Characters that are left. */
  #left: number;

  constructor(showsData: boolean, left = MOST_PRINTED) {
    this.#showsData = showsData;
    this.#left = left;
  }

  cut(term: Term, place: Place): Term {
    if (this.#left <= 0) return REST;
    if (term.kind === 'datum' && isScalar(term.value)) return this.#scalar(term.value, place);
    if (!this.#showsData && place === 'value' && isConstant(term)) return this.#scalar(HIDDEN, 'all');
    const whole = unfoldDatum(withoutTail(term));
    if (whole.kind === 'datum') return whole;
    if (whole.kind === 'object') return { kind: 'object', fields: this.#entries(whole.fields, () => place) };
    this.#left -= (signatureOf(whole.type)?.driver.length ?? 0) + PUNCTUATION;
    if (whole.type === TermType.FUNC) return this.#func(whole.args);
    const inherits = whole.type === TermType.MAKE_ARRAY;
    const places = PLACES.get(whole.type);
    const placeOf = (index: number): Place => {
      if (inherits) return place;
      return places === undefined || index < places.from || isLookup(whole) ? 'value' : places.of;
    };
    // The options of the outermost terms come first, since they say most.
    const optargs = this.#entries(whole.optargs, (name) => (NAMING_OPTARGS.has(name) ? 'all' : 'value'));
    const args = this.#list(whole.args, placeOf);
    return { kind: 'call', type: whole.type, args, optargs };
  }

  /** Parameters are numbers of variables. Where there is no room for all, the function is not one for the printer. */
  #func(args: readonly Term[]): Term {
    const [params, ...bodies] = args;
    if (params?.kind === 'call' && params.args.length > MOST_PARAMS) return REST;
    const rest = bodies.map((body) => this.cut(body, 'fields'));
    return { kind: 'call', type: TermType.FUNC, args: params === undefined ? rest : [params, ...rest], optargs: [] };
  }

  #scalar(value: Datum, place: Place): Term {
    const isName = place === 'all' || (place === 'name' && typeof value === 'string');
    const shown = isName || this.#showsData ? value : HIDDEN;
    const short = typeof shown === 'string' && shown.length > MOST_LITERAL ? `${shown.slice(0, MOST_LITERAL)}…` : shown;
    this.#left -= (typeof short === 'string' ? short.length : 0) + PUNCTUATION;
    return { kind: 'datum', value: short };
  }

  #list(terms: readonly Term[], placeOf: (index: number) => Place): readonly Term[] {
    const cut: Term[] = [];
    for (const [index, term] of terms.entries()) {
      cut.push(this.cut(term, placeOf(index)));
      if (this.#left <= 0) break;
    }
    if (cut.length < terms.length) cut.push(REST);
    return cut;
  }

  #entries(entries: readonly Entry[], placeOf: (name: string) => Place): readonly Entry[] {
    const cut: Entry[] = [];
    for (const [name, term] of entries) {
      if (this.#left <= 0) break;
      const short = name.length > MOST_LITERAL ? `${name.slice(0, MOST_LITERAL)}…` : name;
      this.#left -= short.length + PUNCTUATION;
      cut.push([short, this.cut(term, placeOf(name))]);
    }
    return cut;
  }
}

const REST: Term = { kind: 'datum', value: HIDDEN };
/** Parentheses, a dot, a comma and a space. */
const PUNCTUATION = 4;
const MOST_PARAMS = 20;

function isScalar(value: Datum): boolean {
  return !Array.isArray(value) && !isObject(value);
}

/** An array with no more elements than a line could hold. */
function withoutTail(term: Term): Term {
  if (term.kind !== 'datum' || !Array.isArray(term.value) || term.value.length <= MOST_PRINTED) return term;
  return { kind: 'datum', value: term.value.slice(0, MOST_PRINTED) };
}

/** Whether a term is written out, value by value. What is larger than anybody writes by hand is taken for it. */
function isConstant(root: Term): boolean {
  const unseen: Term[] = [root];
  let seen = 0;
  for (let term = unseen.pop(); term !== undefined && seen < MOST_PRINTED; term = unseen.pop()) {
    seen++;
    if (term.kind === 'datum') continue;
    if (term.kind === 'call' && term.type !== TermType.MAKE_ARRAY) return false;
    for (const child of childrenOf(term)) unseen.push(child);
  }
  return true;
}

/** Whether a field is looked up in what is written out: its name may be data that is looked for. */
function isLookup(term: Term): boolean {
  if (term.kind !== 'call' || (term.type !== TermType.BRACKET && term.type !== TermType.GET_FIELD)) return false;
  const [of] = term.args;
  return of !== undefined && isConstant(of);
}
