// The documents of `rethinkdb.users` and `rethinkdb.permissions`, and what writing to the former does
// (users_artificial_table_backend.cc, permissions_artificial_table_backend.cc).

import { sortedKeys } from '../../../rewrite/reql/data/compare.ts';
import { isPlainOrPseudoObject } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, type DatumObject, getField } from '../../../rewrite/reql/data/datum.ts';
import { printDatum } from '../../../rewrite/reql/data/json-text.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { createPassword, DEFAULT_ITERATIONS, type Password } from '../auth/password.ts';
import { ADMIN, SYSTEM_DATABASE_ID, type Users } from '../auth/users.ts';
import { type Catalog, SYSTEM_DATABASE } from './catalog.ts';
import type { IdentifierFormat } from './config-documents.ts';

export function userRows(users: Users): readonly DatumObject[] {
  return users.all.map(({ name, password }) => ({ id: name, password: !password.isEmpty }));
}

/** The second row that the admin has. */
const ADMIN_ON_SYSTEM = [SYSTEM_DATABASE_ID, { config: true, read: true, write: true }] as const;

export function permissionRows(catalog: Catalog, users: Users, format: IdentifierFormat): readonly DatumObject[] {
  return users.all.flatMap(({ name, permissions }) =>
    [...permissions, ...(name === ADMIN ? [ADMIN_ON_SYSTEM] : [])].map(([scope, granted]): DatumObject => {
      const [databaseId, tableId] = scope.split('.');
      const id = [name, databaseId, tableId].filter((part): part is string => part !== undefined && part !== '');
      const database = catalog.databases.find((entry) => entry.id === databaseId);
      const table = tableId === undefined ? undefined : catalog.tableById(tableId);
      return {
        ...(databaseId === undefined || databaseId === ''
          ? {}
          : { database: format === 'name' ? (database?.name ?? SYSTEM_DATABASE) : databaseId }),
        id,
        permissions: { ...granted },
        ...(table === undefined ? {} : { table: format === 'name' ? table.name : table.id }),
        user: name,
      };
    }),
  );
}

/** The field `password` of a user: a text, `{password, iterations}`, or false for none; true keeps what there is. */
function readPassword(value: Datum, before: Password | undefined): Password {
  if (typeof value === 'string') return createPassword(value, DEFAULT_ITERATIONS);
  if (value === false) return createPassword('', 1);
  if (value === true) {
    if (before !== undefined) return before;
    throw opFailed(
      `Expected an object or string to set the password, or \`false\` to keep it unset, got ${printDatum(value)}.`,
    );
  }
  if (!isPlainOrPseudoObject(value)) {
    throw opFailed(`Expected an object, string or boolean for \`password\`, got ${printDatum(value)}.`);
  }
  const iterations = getField(value, 'iterations');
  if (iterations === undefined) throw opFailed('Expected a field named `iterations`.');
  if (typeof iterations !== 'number' || !Number.isInteger(iterations) || iterations < 1) {
    throw opFailed(`Expected \`iterations\` to be an integer greater than zero, got ${printDatum(iterations)}.`);
  }
  const text = getField(value, 'password');
  if (typeof text !== 'string') throw opFailed('Expected a field named `password`.');
  return createPassword(text, iterations);
}

export function writeUser(users: Users, old: DatumObject | undefined, now: DatumObject | undefined): void {
  const name = getField(now ?? old ?? {}, 'id') ?? null;
  if (typeof name !== 'string') throw opFailed(`Expected a username as the primary key, got ${printDatum(name)}.`);
  if (now === undefined) {
    if (name === ADMIN) throw opFailed(`The user \`${name}\` can't be deleted.`);
    users.remove(name);
    return;
  }
  const before = users.get(name);
  const given = getField(now, 'password');
  if (given === undefined) throw opFailed('Expected a field named `password`.');
  const password = readPassword(given, before?.password);
  const unknown = sortedKeys(now).filter((key) => key !== 'id' && key !== 'password');
  if (unknown.length > 0) throw opFailed(`Unexpected key(s) \`${unknown.join('`, `')}\`.`);
  users.put({ name, password, permissions: before?.permissions ?? new Map() });
}
