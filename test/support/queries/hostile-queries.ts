// Live queries that are made to be costly to open: of each kind as many, or as deep, as one likes. As JSON of the wire, since
// drivers do not write what is nested so deeply.

import { TermType as Term } from '../../../rewrite/reql/term-type.ts';

/** A query of a kind, of so many parts. */
export type HostileQuery = (parts: number) => string;

const T = `[${Term.TABLE},["t"]]`;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const list = (count: number, part: (index: number) => string): string => numbers(count).map(part).join();

/** `core` with so many beginnings before it, the last the nearest, and as many ends after it, the first the nearest. */
function nested(count: number, core: string, begin: (index: number) => string, end: (index: number) => string): string {
  const begins = numbers(count).map((index) => begin(count - 1 - index));
  return begins.join('') + core + numbers(count).map(end).join('');
}

const watched = (term: string): string => `[1,[${Term.CHANGES},[${term}]],{}]`;
const counted = (stream: string): string => watched(`[${Term.COUNT},[${stream}]]`);
const variable = (id: number): string => `[${Term.VAR},[${id}]]`;
const func = (id: number, body: string): string => `[${Term.FUNC},[[${Term.MAKE_ARRAY},[${id}]],${body}]]`;
const filtered = (index: number): string => `[${Term.COUNT},[[${Term.FILTER},[${T},{"a":${index}}]]]]`;
const after = (count: number, type: number, argument: (index: number) => string): string =>
  `[1,${nested(
    count,
    `[${Term.CHANGES},[[${Term.COUNT},[${T}]]]]`,
    () => `[${type},[`,
    (index) => `,${argument(index)}]]`,
  )},{}]`;
const chain = (count: number, type: number, argument: (index: number) => string): string =>
  nested(
    count,
    T,
    () => `[${type},[`,
    (index) => `,${argument(index)}]]`,
  );

/** A union of unions, each of the one below with itself: twice as many tables with each level. */
function doubled(levels: number): string {
  return levels === 0 ? T : `[${Term.UNION},[${doubled(levels - 1)},${doubled(levels - 1)}]]`;
}

/** Hostile queries by what they are made of. */
export const hostileQueries: Readonly<Record<string, HostileQuery>> = {
  'arrays in arrays': (n) =>
    counted(
      `[${Term.FILTER},[${T},${nested(
        n,
        '1',
        () => `[${Term.MAKE_ARRAY},[`,
        () => ']]',
      )}]]`,
    ),
  'fields plucked': (n) => counted(`[${Term.PLUCK},[${T},${list(n, (index) => `"k${index}"`)}]]`),
  'unions in functions': (n) =>
    counted(
      nested(
        n,
        T,
        () => `[${Term.CONCAT_MAP},[[${Term.UNION},[`,
        (index) => `,${T}]],${func(index + 1, `[${Term.MAKE_ARRAY},[${variable(index + 1)}]]`)}]]`,
      ),
    ),
  'unions with a table': (n) => counted(chain(n, Term.UNION, () => T)),
  'unions of equals': (n) => counted(doubled(Math.ceil(Math.log2(n)))),
  'a union of many': (n) => counted(`[${Term.UNION},[${list(n, () => T)}]]`),
  'functions in functions': (n) =>
    counted(
      `[${Term.FILTER},[${T},${nested(
        n,
        'true',
        (index) => `[${Term.FUNC},[[${Term.MAKE_ARRAY},[${index + 1}]],[${Term.OR},[`,
        (index) => `,${variable(index + 1)}]]]]`,
      )}]]`,
    ),
  'a sum of counts': (n) => watched(`[${Term.ADD},[${list(n, filtered)}]]`),
  'an object of counts': (n) => watched(`{${list(n, (index) => `"a${index}":${filtered(index)}`)}}`),
  'branches on counts': (n) =>
    watched(`[${Term.BRANCH},[${list(n, (index) => `[${Term.GT},[${filtered(index)},1]],1`)},0]]`),
  'counts of keys': (n) => watched(`[${Term.ADD},[${list(n, (index) => `[${Term.GET},[${T},${index}]]`)}]]`),
  'additions in a row': (n) =>
    watched(
      nested(
        n,
        `[${Term.COUNT},[${T}]]`,
        () => `[${Term.ADD},[`,
        () => ',1]]',
      ),
    ),
  'merges after changes': (n) => after(n, Term.MERGE, (index) => `{"a${index}":1}`),
  'limits after changes': (n) => after(n, Term.LIMIT, () => '5'),
  'maps of maps': (n) =>
    counted(chain(n, Term.MAP, (index) => func(index + 1, `[${Term.ADD},[${variable(index + 1)},1]]`))),
  'fields of fields': (n) => counted(chain(n, Term.BRACKET, () => '"a"')),
  'orders of orders': (n) => counted(chain(n, Term.ORDER_BY, (index) => `"a${index}"`)),
  'groups of groups': (n) =>
    counted(
      nested(
        n,
        T,
        () => `[${Term.UNGROUP},[[${Term.COUNT},[[${Term.GROUP},[`,
        () => ',"g"]]]]]]',
      ),
    ),
  'keys of a group': (n) => counted(`[${Term.GROUP},[${T},${list(n, (index) => `"a${index}"`)}],{"multi":true}]`),
  'a long reduction': (n) =>
    watched(
      `[${Term.REDUCE},[[${Term.BRACKET},[${T},"a"]],[${Term.FUNC},[[${Term.MAKE_ARRAY},[1,2]],${nested(
        n,
        `[${Term.ADD},[${variable(1)},${variable(2)}]]`,
        () => `[${Term.ADD},[`,
        () => ',0]]',
      )}]]]]`,
    ),
  'functions around changes': (n) =>
    `[1,${nested(
      n,
      `[${Term.CHANGES},[[${Term.COUNT},[[${Term.FILTER},[${T},{"x":${variable(1)}}]]]]]]`,
      (index) => `[${Term.FUNCALL},[[${Term.FUNC},[[${Term.MAKE_ARRAY},[${index + 1}]],`,
      () => ']],1]]',
    )},{}]`,
  'feeds in feeds': (n) =>
    `[1,${nested(
      n,
      `[${Term.CHANGES},[[${Term.COUNT},[${T}]]]]`,
      () => `[${Term.UNION},[[${Term.CHANGES},[${T}]],`,
      () => ']]',
    )},{}]`,
};
