// The names of the rows of a live query's documents, where the client wants them named: the primary key of a table is asked for.

import type { Path } from '../../../rewrite/kinds/key-places.ts';
import { rowNameOf } from '../../../rewrite/kinds/row-name.ts';
import type { Live } from '../../../rewrite/live.ts';
import { serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import type { RowsNamed } from '../subscription/named-parts.ts';

/** Primary keys that are known, by the text of their table; null for a table that does not tell. */
export class PrimaryKeys {
  readonly #known = new Map<string, string | null>();

  /** Whether any has been asked for. */
  get areAsked(): boolean {
    return this.#known.size > 0;
  }

  get(table: Term): string | null | undefined {
    return this.#known.get(serializeTerm(table));
  }

  set(table: Term, key: string | undefined): void {
    this.#known.set(serializeTerm(table), key ?? null);
  }
}

/** The table whose primary key has to be known before a live query can be shown; `undefined` where none has. */
export function tableToAsk(live: Live, known: PrimaryKeys): Term | undefined {
  if (!live.changes.optargs.some(([name]) => naming.has(name))) return undefined;
  const name = rowNameOf(live);
  if (typeof name === 'string') return undefined;
  return name.keys.map(({ table }) => table).find((table) => known.get(table) === undefined);
}

/** Optargs of CHANGES that want rows named. */
const naming: ReadonlySet<string> = new Set(['format', 'include_revs', 'since']);

/** The names of the rows, as far as they are known. */
export function rowsNamed(live: Live, known: PrimaryKeys): RowsNamed {
  const name = rowNameOf(live);
  if (typeof name === 'string') return name;
  const paths: Path[] = [];
  for (const { table, pathOf } of name.keys) {
    const key = known.get(table);
    const path = typeof key === 'string' ? pathOf(key) : undefined;
    if (path === undefined) return 'copy';
    paths.push(path);
  }
  return { paths };
}
