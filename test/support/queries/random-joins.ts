// Random queries of joins, look-ups for each row, groups, orders and aggregates over the tables of `random-rows.ts`, as JavaScript text.
// Rows have an `id` or a `pk`, and may have `k`, `n` (a number), `x`, `ref` and `tags`; what is looked up stands in `v` and `w`.

import type { Shows } from '../checks/feed-state.ts';
import { type Chooser, PRIMARY_KEYS, TABLE_NAMES, type TableName } from './random-rows.ts';

/** A generated query without its `changes`. */
export interface RandomQuery {
  readonly text: string;
  readonly shows: Shows;
  /** It has lists of which nothing says in which order they are. */
  readonly unordered: boolean;
}

/** A stream of rows. */
interface Rows {
  readonly text: string;
  /** Their primary key, where it is known. */
  readonly key: string | undefined;
}

/** A random query. */
export function randomJoin(choose: Chooser): RandomQuery {
  return new Grammar(choose).query();
}

const FIELDS = ['k', 'ref', 'n', 'id', 'x'] as const;

class Grammar {
  readonly #choose: Chooser;
  #variables = 0;
  #unordered = false;

  constructor(choose: Chooser) {
    this.#choose = choose;
  }

  query(): RandomQuery {
    const [text, shows] = this.#end();
    return { text, shows, unordered: this.#unordered };
  }

  #variable(): string {
    return `d${++this.#variables}`;
  }

  #table(): TableName {
    return this.#choose.of(...TABLE_NAMES);
  }

  #tableOfIds(): TableName {
    return this.#choose.of('a', 'b');
  }

  /** A function of a row. */
  #func(body: (row: string) => string): string {
    const row = this.#variable();
    return `${row} => ${body(row)}`;
  }

  /** A function that gives an object. */
  #object(body: (row: string) => string): string {
    return this.#func((row) => `(${body(row)})`);
  }

  /** What a row refers to. */
  #key(row: string): string {
    const value = `${row}("${this.#choose.of(...FIELDS)}")`;
    return this.#choose.often(0.35) ? `${value}.default(${this.#choose.of('null', '0', '1', '"a"')})` : value;
  }

  #order(): string {
    return this.#choose.of('"n"', 'r.desc("n")', '"k"', 'r.desc("x")');
  }

  /** The last key of an order: nothing is equal in it. */
  #last(key: string | undefined): string {
    if (key !== undefined && this.#choose.often(0.6)) return `"${key}"`;
    return this.#func((row) => this.#choose.of(row, `[${row}]`));
  }

  /** Rows of a table that a row finds. */
  #found(row: string, nested: boolean): Rows {
    const table = this.#table();
    const from = `r.table("${table}")`;
    const key =
      nested && this.#choose.often(0.12)
        ? `r.table("${this.#tableOfIds()}").get(${this.#key(row)})("${this.#choose.of('k', 'ref', 'n')}").default(1)`
        : this.#key(row);
    return { text: this.#selected(from, row, key), key: PRIMARY_KEYS[table] };
  }

  #selected(from: string, row: string, key: string): string {
    const choose = this.#choose;
    switch (choose.below(9)) {
      case 0:
        return `${from}.getAll(${key}, {index: "${choose.of('k', 'n', 'tags')}"})`;
      case 1:
        return `${from}.getAll(${key})`;
      case 2:
        return `${from}.getAll([${key}, ${this.#key(row)}], {index: "kn"})`;
      case 3:
        return `${from}.filter({${choose.of('k', 'n', 'ref')}: ${key}})`;
      case 4:
        return `${from}.filter(${this.#func((found) => `${this.#field(found)}.eq(${key})`)})`;
      case 5:
        return `${from}.filter({${choose.of('k', 'ref')}: ${key}, n: ${choose.below(3)}})`;
      case 6:
        return `${from}.getAll(${key}, {index: "k"}).filter(${this.#test()})`;
      default:
        return `${from}.filter(${this.#func((found) => `${this.#field(found)}.eq(${key}).and(${this.#besides(found, row)})`)})`;
    }
  }

  #field(row: string): string {
    return `${row}("${this.#choose.of('k', 'n', 'ref')}")`;
  }

  /** What else has to hold of a row that is found. */
  #besides(found: string, row: string): string {
    const number = `${found}("${this.#choose.of('x', 'n')}").default(0)`;
    const compares = this.#choose.of('gt', 'lt', 'ne', 'eq');
    const other = this.#choose.often(0.5) ? `${this.#key(row)}.default(0)` : this.#choose.of('0', '1');
    return `${number}.${compares}(${other})`;
  }

  #test(): string {
    const [field, least] = [this.#choose.of('n', 'x'), this.#choose.below(2)];
    return this.#func((row) => `${row}("${field}").default(0).ge(${least})`);
  }

  /** One value of rows; `top`: it is not part of a row. */
  #figure(rows: Rows, top: boolean): string {
    const choose = this.#choose;
    const { text } = rows;
    switch (choose.below(top ? 13 : 16)) {
      case 0:
        return `${text}.count()`;
      case 1:
        return `${text}.sum("x")`;
      case 2:
        return `${text}.avg("n").default(null)`;
      case 3:
        return `${text}.isEmpty()`;
      case 4:
        return `${text}.max("n")("n").default(null)`;
      case 5:
        return `${text}.min("x")("x").default(${choose.of('"none"', 'null')})`;
      case 6:
        return `${text}.count(${this.#func((row) => `${row}("n").default(0).gt(1)`)})`;
      case 7:
        return this.#list(rows, top);
      case 8:
        return `${text}.contains(${this.#func((row) => `${row}("x").default(0).eq(1)`)})`;
      case 9:
        return `${text}("n").max().default("no")`;
      case 10:
        return `${text}("n").distinct().coerceTo("array")`;
      case 11:
        return `${text}.map(${this.#func((row) => `${row}("n").default(0)`)}).reduce((p, q) => p.add(q)).default(0)`;
      case 12:
        return `${text}("k").distinct().count()`;
      case 13:
        return `${this.#ordered(rows)}.limit(${1 + choose.below(3)}).coerceTo("array")`;
      case 14:
        return `${this.#ordered(rows)}.nth(${choose.of(0, 0, 1, -1)}).default(null)`;
      default:
        return `${this.#ordered(rows)}("n").skip(1)`;
    }
  }

  #ordered({ text, key }: Rows): string {
    return `${text}.orderBy(${this.#order()}, ${this.#last(key)})`;
  }

  /** All rows, or a field of them. */
  #list(rows: Rows, top: boolean): string {
    const part = this.#choose.of('', '("n")', '.pluck("n", "k")');
    if (!top) return `${this.#ordered(rows)}${part}.coerceTo("array")`;
    this.#unordered = true;
    return `${rows.text}${part}.coerceTo("array")`;
  }

  /** What is looked up for a row: a value of any type. */
  #lookup(row: string): string {
    const choose = this.#choose;
    if (choose.often(0.35)) return this.#point(row);
    const figure = this.#figure(this.#found(row, true), false);
    return choose.often(0.75) ? `${figure}.default(${choose.of('null', '0', '"d"')})` : figure;
  }

  #point(row: string): string {
    const choose = this.#choose;
    const point = `r.table("${this.#table()}").get(${this.#key(row)})`;
    switch (choose.below(5)) {
      case 0:
        return `${point}.default(${choose.of('null', '"none"')})`;
      case 1:
        return `${point}("${choose.of('x', 'k', 'n')}").default(${choose.of('null', '0')})`;
      case 2:
        return `${point}("n").add(1).default(0)`;
      case 3:
        return choose.often(0.5) ? point : `${point}("n").default(${point}("x")).default(7)`;
      default:
        return `r.branch(${point}.eq(null).default(true), "gone", ${point}("n").default(0).gt(1), "many", "few")`;
    }
  }

  /** A number, or a truth, that is looked up for a row. */
  #scalar(row: string): string {
    const { text } = this.#found(row, true);
    return `${text}${this.#choose.of('.count()', '.isEmpty()', '.sum("n")', '("n").max()')}.default(0)`;
  }

  /** Look-ups within look-ups, and functions of the row over what is found. */
  #nested(row: string): string {
    const choose = this.#choose;
    const rows = this.#found(row, true);
    const { text, key } = rows;
    const other = `r.table("${this.#table()}")`;
    switch (choose.below(10)) {
      case 0:
        return `${this.#ordered(rows)}.map(${this.#func((y) => `${y}.merge({z: ${other}.get(${y}("ref").default(0)).default(null)})`)}).coerceTo("array").default([])`;
      case 1:
        return `${text}.map(${this.#func((y) => `${y}("n").default(0).add(${row}("n").default(1))`)}).sum().default(0)`;
      case 2:
        return `${text}.filter(${this.#func((y) => `${other}.getAll(${y}("k").default(0), {index: "k"}).count().gt(0)`)}).count().default(9)`;
      case 3:
        return `${text}.merge(${this.#object((y) => `{q: ${other}.getAll(${y}("k").default(1), {index: "k"}).count()}`)}).orderBy(r.desc("q"), "${key}").limit(2).coerceTo("array").default([])`;
      case 4:
        return `${this.#ordered(rows)}.nth(${choose.of(-1, -2, 0)})("n").default("l")`;
      case 5:
        return `${this.#ordered(rows)}.slice(${choose.of('0, 2', '1, 2', '1', '0, -1', '-2')}).pluck("n", "${key}").coerceTo("array").default(null)`;
      case 6:
        return `r.branch(${text}.isEmpty().default(true), ${row}("n").default("e"), ${text}.max("n")("n").default("m"))`;
      case 7:
        return `${text}.coerceTo("array").eqJoin("${choose.of('k', 'ref')}", r.table("${this.#tableOfIds()}")).zip().count().default("j")`;
      case 8:
        return `${text}.group("n").count().ungroup()("reduction").default([])`;
      default:
        return `${this.#ordered(rows)}.concatMap(${this.#func((y) => `${y}("tags").default([])`)}).coerceTo("array").default([])`;
    }
  }

  #source(): Rows {
    const choose = this.#choose;
    const table = this.#table();
    const from = `r.table("${table}")`;
    const rows = (text: string): Rows => ({ text, key: PRIMARY_KEYS[table] });
    const computed = (text: string): Rows => ({ text, key: undefined });
    switch (choose.below(18)) {
      case 0:
        return rows(`${from}.filter({k: ${choose.of('1', '"a"', 'null')}})`);
      case 1:
        return rows(`${from}.getAll(${choose.of('1', '"a"', '"1"', 'true')}, {index: "k"})`);
      case 2:
        return rows(`${from}.between(1, 3)`);
      case 3:
        return rows(`${from}.filter(${this.#test()})`);
      case 4:
        return computed(
          `${from}.group("${choose.of('k', 'n', 'ref')}").count().ungroup().map(g => ({id: g("group"), k: g("group"), n: g("reduction"), x: g("reduction")}))`,
        );
      case 5:
        return computed(`${from}("k").distinct().map(k => ({id: k, k: k, n: 1, ref: k}))`);
      case 6:
        return rows(`${from}.orderBy({index: "k"}).limit(2)`);
      case 7:
        return rows(
          `${from}.orderBy(${choose.of('"n"', 'r.desc("n")')}, "${PRIMARY_KEYS[table]}").limit(${1 + choose.below(3)})`,
        );
      case 8:
        return computed(`${from}.filter({n: 1}).union(r.table("${this.#table()}").filter({k: 1}))`);
      case 9:
        return computed(
          `${from}.concatMap(d => d("tags").default([]).map(tag => ({id: tag, k: tag, n: d("n").default(0), ref: tag})))`,
        );
      case 10:
        return rows(`${from}.hasFields("n").without("x")`);
      case 11:
        return rows(`${from}.orderBy("n", "${PRIMARY_KEYS[table]}").skip(1)`);
      default:
        return rows(from);
    }
  }

  #joined(left: Rows): Rows {
    return this.#ofPairs(this.#choose.often(0.5) ? this.#eqJoin(left) : this.#compared(left));
  }

  #eqJoin({ text }: Rows): string {
    const choose = this.#choose;
    const right = `r.table("${this.#table()}")`;
    const index = choose.of(undefined, undefined, 'k', 'tags', 'kn');
    const by =
      index === 'kn'
        ? this.#func((row) => `[${row}("k"), ${row}("n")]`)
        : choose.of(
            '"k"',
            '"ref"',
            '"n"',
            '"x"',
            this.#func((row) => `${row}("n").default(1)`),
            this.#func((row) => `${row}("k")`),
          );
    return `${text}.eqJoin(${by}, ${right}${index === undefined ? '' : `, {index: "${index}"}`})`;
  }

  #compared({ text }: Rows): string {
    const choose = this.#choose;
    const table = this.#table();
    const right = choose.often(0.7) ? `r.table("${table}")` : `r.table("${table}").filter({n: ${choose.below(3)}})`;
    const of = (row: string, field: string, other: string): string => `${row}("${field}")${other}`;
    const other = choose.often(0.6) ? '.default(null)' : '';
    const equal = `${of('left', choose.of('k', 'ref', 'n'), other)}.eq(${of('right', choose.of('k', 'n', PRIMARY_KEYS[table]), other)})`;
    const besides = choose.of(
      '',
      '',
      '.and(right("x").default(0).ge(left("x").default(0)))',
      '.and(right("n").default(0).gt(0))',
    );
    return `${text}.${choose.of('innerJoin', 'innerJoin', 'outerJoin')}(${right}, (left, right) => ${equal}${besides})`;
  }

  /** Pairs as rows. */
  #ofPairs(pairs: string): Rows {
    const choose = this.#choose;
    const at = (side: string, field: string): string => `p("${side}")("${field}").default(null)`;
    switch (choose.below(5)) {
      case 0:
        return {
          text: `${pairs}.map(p => p("left").merge({n: p("right")("n").default(0), r: p("right").default(null)}))`,
          key: undefined,
        };
      case 1:
        return {
          text: `${pairs}.map(p => ({id: [${at('left', 'id')}, ${at('right', 'id')}], n: p("right")("n").default(0), x: ${at('left', 'x')}, k: ${at('left', 'k')}, ref: ${at('right', 'ref')}}))`,
          key: undefined,
        };
      case 2:
        return {
          text: `${pairs}.filter(p => p("right")("n").default(0).ge(${choose.below(2)})).zip()`,
          key: undefined,
        };
      default:
        return { text: `${pairs}.zip()`, key: undefined };
    }
  }

  #step(rows: Rows): Rows {
    const choose = this.#choose;
    const { text, key } = rows;
    switch (choose.below(8)) {
      case 0:
      case 1:
        return this.#joined(rows);
      case 2:
      case 3:
        return {
          text: `${text}.merge(${this.#object((row) => `{v: ${this.#lookup(row)}${choose.often(0.3) ? `, w: ${this.#lookup(row)}` : ''}}`)})`,
          key,
        };
      case 4:
        return {
          text: `${text}.map(${this.#object((row) => `{id: ${row}("${key ?? 'id'}").default(null), n: ${row}("n").default(0), k: ${row}("k").default(null), x: ${row}("x").default(null), v: ${this.#lookup(row)}}`)})`,
          key: undefined,
        };
      case 5:
        return { text: `${text}.filter(${this.#func((row) => `${this.#scalar(row)}.eq(${choose.below(3)})`)})`, key };
      case 6:
        return {
          text: `${text}.filter(${this.#func((row) => `r.table("${this.#tableOfIds()}").get(${this.#key(row)})("n").default(0).ge(${1 + choose.below(2)})`)})`,
          key,
        };
      default:
        return this.#concatenated(rows);
    }
  }

  #concatenated({ text }: Rows): Rows {
    const made = (row: string): string =>
      this.#func(
        (y) =>
          `({n: ${y}("n").default(0), x: ${row}("x").default(null), k: ${y}("k").default(null), id: ${y}("id").default(0)})`,
      );
    const list = (row: string): string =>
      `${this.#found(row, false).text}.map(${made(row)}).coerceTo("array").default([])`;
    return { text: `${text}.concatMap(${this.#func(list)})`, key: undefined };
  }

  #stream(): Rows {
    const count = this.#choose.often(0.12) ? 0 : 1 + this.#choose.below(2);
    return Array.from({ length: count }).reduce<Rows>((rows) => this.#step(rows), this.#source());
  }

  #end(): readonly [string, Shows] {
    const choose = this.#choose;
    if (choose.often(0.06)) return this.#written();
    const rows = this.#stream();
    switch (choose.below(11)) {
      case 0:
      case 1:
        return [rows.text, 'rows'];
      case 2:
        return [this.#figure(rows, true), 'value'];
      case 3:
      case 4:
        return this.#grouped(rows);
      case 5:
        return [`${rows.text}${choose.of('', '("n")', '("k")', '("x")')}.distinct()`, 'rows'];
      case 6:
        return [`${rows.text}("${choose.of('n', 'k', 'id', 'v')}")`, 'rows'];
      case 7:
      case 8:
        return this.#part(rows);
      default:
        return this.#looking(rows);
    }
  }

  /** A part of an order. */
  #part(rows: Rows): readonly [string, Shows] {
    const choose = this.#choose;
    const keys = choose.of('"n"', 'r.desc("n")', '"k"', 'r.desc("x"), "n"', '"v"', 'd => d("n").default(0).mul(-1)');
    const order = `${rows.text}.orderBy(${keys}, ${this.#last(rows.key)})`;
    const [count, from] = [choose.below(5), choose.below(3)];
    const part = choose.of(
      `.limit(${count})`,
      `.skip(${from}).limit(${count})`,
      `.slice(${from}, ${from + count})`,
      `.slice(${-1 - choose.below(3)})`,
      '.slice(0, -1)',
      '.slice(1, -1)',
      `.skip(${from})`,
      `.slice(${from}, ${from + count}, {leftBound: "open", rightBound: "closed"})`,
    );
    switch (choose.below(4)) {
      case 0:
        return [`${order}.nth(${choose.of(0, 1, -1, -2)})("n").default("none")`, 'value'];
      case 1:
        return [
          `${order}${part}${choose.of('.count()', '.sum("n")', '.coerceTo("array")', '.avg("n").default(null)')}`,
          'value',
        ];
      default:
        return [`${order}${part}${choose.of('', '', '.pluck("n", "k")', '.map(d => d("n").default(null))')}`, 'rows'];
    }
  }

  #grouped(rows: Rows): readonly [string, Shows] {
    const choose = this.#choose;
    const by = choose.of(
      '"k"',
      '"n"',
      '"ref"',
      '"v"',
      '"k", "n"',
      'd => d("k").default("none")',
      'd => [d("n").default(0)]',
      'd => d("tags").default([]), {multi: true}',
      this.#func((row) => this.#scalar(row)),
    );
    const group: Rows = { text: `${rows.text}.group(${by})`, key: rows.key };
    const last = this.#func((row) => `[${row}]`);
    switch (choose.below(8)) {
      case 0:
        return [`${group.text}.orderBy(${this.#order()}, ${last}).limit(${1 + choose.below(2)})`, 'groups'];
      case 1:
        return [`${group.text}.orderBy(${this.#order()}, ${last}).nth(0)("n").default("none")`, 'groups'];
      case 2:
        return [`${this.#figure(group, true)}.ungroup()`, 'rows'];
      default:
        return [this.#figure(group, true), 'groups'];
    }
  }

  /** Aggregates, groups and orders by what is looked up. */
  #looking(rows: Rows): readonly [string, Shows] {
    const choose = this.#choose;
    const { text } = rows;
    const number = (of: string): string => `r.expr(${of}).do(s => r.branch(s.typeOf().eq("NUMBER"), s, 0))`;
    const last = this.#func((row) => `[${row}]`);
    switch (choose.below(10)) {
      case 0:
        return [`${text}.sum(${this.#func((row) => number(this.#scalar(row)))})`, 'value'];
      case 1:
        return [`${text}.count(${this.#func((row) => `${this.#scalar(row)}.eq(${choose.below(3)})`)})`, 'value'];
      case 2:
        return [`${text}.contains(${this.#func((row) => `${this.#scalar(row)}.eq(1)`)})`, 'value'];
      case 3:
        return [
          `r.expr({a: ${text}.count(), b: r.table("${this.#table()}").merge(${this.#object((row) => `{v: ${this.#lookup(row)}}`)}).sum("n"), c: r.table("a").get(1).default(null)})`,
          'value',
        ];
      case 4:
        return [`${text}.merge(${this.#object((row) => `{v: ${this.#nested(row)}}`)})`, 'rows'];
      case 5:
        return [`${text}.map(${this.#func((row) => this.#nested(row))})`, 'rows'];
      case 6:
        return [
          `${text}.group(d => d("k").default(null)).map(${this.#func((row) => number(this.#scalar(row)))}).sum()`,
          'groups',
        ];
      case 7:
        return [
          `${text}.map(${this.#object((row) => `{n: ${row}("n").default(0), v: ${this.#nested(row)}}`)}).orderBy("n", ${last}).limit(${1 + choose.below(3)})`,
          'rows',
        ];
      case 8:
        return [
          `${text}.group("k").count().ungroup().orderBy(r.desc("reduction"), "group").limit(2).merge(${this.#object((row) => `{nm: r.table("${this.#table()}").getAll(${row}("group"), {index: "k"}).count().default("x")}`)})`,
          'rows',
        ];
      default:
        return [`${text}.distinct().count()`, 'value'];
    }
  }

  /** Figures of keys that are written out, and selections that follow a row. */
  #written(): readonly [string, Shows] {
    const choose = this.#choose;
    const table = this.#table();
    const from = `r.table("${table}")`;
    const rows = (text: string): Rows => ({ text, key: PRIMARY_KEYS[table] });
    const row = `r.table("${this.#tableOfIds()}").get(${choose.of('1', '"a"', '[1]')})`;
    switch (choose.below(5)) {
      case 0:
        return [
          `r.expr([1, "a", "1"]).map(key => ${this.#figure(rows(`${from}.getAll(key, {index: "k"})`), false)}.default(null))`,
          'value',
        ];
      case 1:
        return [
          `${row}.do(u => ${this.#figure(rows(`${from}.filter(d => d("n").gt(u("n").default(0)))`), true)}).default("none")`,
          'value',
        ];
      case 2:
        return [this.#figure(rows(`${from}.getAll(${row}("k"), {index: "k"})`), true), 'value'];
      case 3:
        return [`${from}.filter({ref: ${row}("ref").default(1)})`, 'rows'];
      default:
        return [
          `r.expr([${this.#figure(rows(from), true)}, ${from}.filter({k: 1}).count(), ${row}("n").default(null)])`,
          'value',
        ];
    }
  }
}
