// The documents of `rethinkdb.users` and `rethinkdb.permissions`, and what writing to the former does
// (users_artificial_table_backend.cc, permissions_artificial_table_backend.cc).

import { isPlainOrPseudoObject } from '../../../rewrite/reql/data-type.ts';
import { type Datum, type DatumObject, getField } from '../../../rewrite/reql/datum.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { printDatum } from '../../../rewrite/reql/json-text.ts';
import { createPassword, DEFAULT_ITERATIONS, type Password } from '../auth/password.ts';
import { ADMIN, type Users } from '../auth/users.ts';
import { type Catalog, SYSTEM_DATABASE, SYSTEM_DATABASE_ID } from './catalog.ts';
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

/** The field `password` of a user: a text, `{password, iterations}`, or false for none. */
function readPassword(value: Datum | undefined, before: Password | undefined): Password {
  if (value === undefined || value === true) return before ?? createPassword('', 1);
  if (value === false || value === null) return createPassword('', 1);
  if (typeof value === 'string') return createPassword(value, DEFAULT_ITERATIONS);
  const text = isPlainOrPseudoObject(value) ? getField(value, 'password') : undefined;
  const iterations = isPlainOrPseudoObject(value) ? getField(value, 'iterations') : undefined;
  if (typeof text !== 'string') throw opFailed(`Expected an object, got ${printDatum(value)}.`);
  if (typeof iterations !== 'number' || iterations < 1) {
    throw opFailed(
      `Expected \`iterations\` to be an integer greater than zero, got ${printDatum(iterations ?? null)}.`,
    );
  }
  return createPassword(text, Math.trunc(iterations));
}

export function writeUser(users: Users, old: DatumObject | undefined, now: DatumObject | undefined): void {
  const name = getField(now ?? old ?? {}, 'id');
  if (typeof name !== 'string') throw opFailed('Expected a username as the primary key.');
  if (now === undefined) {
    if (name === ADMIN) throw opFailed("The user `admin` can't be deleted.");
    users.remove(name);
    return;
  }
  const before = users.get(name);
  const password = readPassword(getField(now, 'password'), before?.password);
  users.put({ name, password, permissions: before?.permissions ?? new Map() });
}
