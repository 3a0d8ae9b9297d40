// Random rows and writes of three tables that refer to each other, as JavaScript text, so that a failure prints what can be run. Keys
// are few, of many types, and some are alike as text: 1 and '1'. Numbers are whole, so that their sums are exact.

/** Chooses by chance. */
export class Chooser {
  readonly #next: () => number;

  /** `next` gives numbers from 0 up to 1. */
  constructor(next: () => number) {
    this.#next = next;
  }

  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /** One of several. */
  of<Item>(first: Item, ...more: readonly Item[]): Item {
    return more[this.below(more.length + 1) - 1] ?? first;
  }

  /** True so often, of 1. */
  often(part: number): boolean {
    return this.#next() < part;
  }
}

/** Names of the tables, and of their primary keys. */
export const PRIMARY_KEYS = { a: 'id', b: 'id', c: 'pk' } as const;

export type TableName = keyof typeof PRIMARY_KEYS;

export const TABLE_NAMES = ['a', 'b', 'c'] as const satisfies readonly TableName[];

/** What creates the indexes of a table. */
export const INDEXES: readonly string[] = [
  'indexCreate("k")',
  'indexCreate("n")',
  'indexCreate("kn", d => [d("k"), d("n")])',
  'indexCreate("tags", {multi: true})',
  'indexCreate("twice", d => d("n").mul(2))',
];

/** Primary keys. */
const anyId = (choose: Chooser): string => choose.of('1', '2', '3', '"1"', '[1]', '"a"', 'true');

/** Values of a field that refers to something; `undefined` where the field is left out. */
const anyKey = (choose: Chooser): string | undefined =>
  choose.of<string | undefined>(
    '1',
    '2',
    '1',
    '2',
    '"1"',
    '"a"',
    '"a"',
    '[1]',
    'true',
    'r.epochTime(100)',
    'null',
    undefined,
  );

/** A row of a table. */
function randomRow(choose: Chooser, table: TableName): string {
  const fields = [`${PRIMARY_KEYS[table]}: ${anyId(choose)}`];
  const key = anyKey(choose);
  if (key !== undefined) fields.push(`k: ${key}`);
  if (choose.often(0.85)) fields.push(`x: ${choose.of('0', '1', '2', '5', '-1', 'null')}`);
  if (choose.often(0.9)) fields.push(`n: ${choose.below(4)}`);
  if (choose.often(0.8)) fields.push(`ref: ${choose.often(0.15) ? 'null' : anyId(choose)}`);
  if (choose.often(0.8)) fields.push(`tags: ${choose.of('[]', '[1]', '[1, 2]', '["a", 1]', '[1, 1]')}`);
  return `{${fields.join(', ')}}`;
}

/** So many rows that a table begins with, of which a later one takes the place of another with its key. */
export function randomRows(choose: Chooser, table: TableName): string {
  const rows = Array.from({ length: 2 + choose.below(5) }, () => randomRow(choose, table));
  return `r.table("${table}").insert([${rows.join(', ')}], {conflict: "replace"})`;
}

/** A write of one row at most. */
export function randomWriteOfOne(choose: Chooser, table: TableName): string {
  const to = `r.table("${table}")`;
  const one = `${to}.get(${anyId(choose)})`;
  switch (choose.below(4)) {
    case 0:
      return `${one}.delete()`;
    case 1:
      return `${one}.update({n: ${choose.below(4)}})`;
    case 2:
      return `${one}.update({k: ${anyKey(choose) ?? 'r.literal()'}, ref: ${anyId(choose)}})`;
    default:
      return `${to}.insert(${randomRow(choose, table)}, {conflict: "replace"})`;
  }
}

/** A write of any number of rows of one table. */
export function randomWrite(choose: Chooser, table: TableName): string {
  const to = `r.table("${table}")`;
  switch (choose.below(8)) {
    case 0:
      return randomRows(choose, table);
    case 1:
      return `${to}.update({n: ${choose.below(4)}})`;
    case 2:
      return `${to}.update({k: ${choose.of('1', '"1"', '"a"', 'null', '[1]', 'r.epochTime(100)')}})`;
    case 3:
      return choose.often(0.5) ? `${to}.delete()` : `${to}.getAll(1, "a", {index: "k"}).delete()`;
    case 4:
      return `${to}.update(d => ({n: d("n").default(0).add(1).mod(4)}))`;
    case 5:
      return `${to}.replace(d => d.without("${choose.of('k', 'n', 'x', 'ref')}"))`;
    default:
      return randomWriteOfOne(choose, table);
  }
}
