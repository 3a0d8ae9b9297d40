// `livefold explain --index table.name=field,...`: what an index holds, told in place of a server that could be asked.

import { InvalidArgumentError } from 'commander';
import type { IndexFields, KnownIndexes } from '../../rewrite/sources/known-index.ts';
import { nameOfDb, nameOfTable } from './table-name.ts';

/** The fields of indexes, by `table.index` or `db.table.index`. */
export type ToldIndexes = ReadonlyMap<string, IndexFields | null>;

/** What the primary key is taken to be. */
const PRIMARY_KEY = 'id';

const FORM = /^([^=]+\.[^=]+)=(.*?)(:multi)?$/;

/**
 * Reads one index more. `t.k=k` is a simple index, `t.place=city,street` a compound one, `t.tags=tags:multi` a multi index, and
 * `t.f=` one of anything else, as a function. The primary key is taken to be `id`. Throws InvalidArgumentError.
 */
export function readIndex(text: string, told: ToldIndexes = new Map()): ToldIndexes {
  const [, name, fields = '', multi] = FORM.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError(
      'It must be TABLE.INDEX=FIELD, several fields with commas, :multi after those of a multi index.',
    );
  }
  return new Map([...told, [name, fieldsOf(fields.split(','), multi !== undefined)]]);
}

function fieldsOf(fields: readonly string[], multi: boolean): IndexFields | null {
  if (fields.includes('')) return null;
  return { fields, compound: fields.length > 1, multi, primaryKey: PRIMARY_KEY };
}

/** The knowledge of what was told; of all others nothing is known. */
export function knownIndexes(told: ToldIndexes): KnownIndexes {
  return ({ table, index }) => {
    if (index === undefined) return fieldsOf([PRIMARY_KEY], false);
    const name = `${nameOfTable(table)}.${index}`;
    const whole = told.get(`${nameOfDb(table) ?? ''}.${name}`);
    return whole === undefined ? told.get(name) : whole;
  };
}
