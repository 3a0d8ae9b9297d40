// GRANT (grant.cc, permissions.cc).

import { sortedKeys } from '../../../rewrite/reql/data/compare.ts';
import { isPlainOrPseudoObject } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, getField } from '../../../rewrite/reql/data/datum.ts';
import { printDatum } from '../../../rewrite/reql/data/json-text.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { type Value, wrongType } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import {
  ADMIN,
  type Permission,
  type PermissionScope,
  type Permissions,
  SYSTEM_DATABASE_ID,
  scopeKey,
  type Users,
} from '../auth/users.ts';
import { EmbeddedDb } from '../value/embedded-db.ts';
import { EmbeddedTable } from '../value/embedded-table.ts';
import { requirePermission } from './query-context.ts';

const SYSTEM: PermissionScope = { database: SYSTEM_DATABASE_ID };
const NAMES: readonly Permission[] = ['read', 'write', 'config', 'connect'];

/** Permissions with changes put over them: true and false say so, null leaves the matter to the scope around. */
function merge(before: Permissions, changes: Datum, global: boolean): Permissions {
  if (!isPlainOrPseudoObject(changes)) throw opFailed(`Expected an object, got ${printDatum(changes)}.`);
  const merged: Partial<Record<Permission, boolean>> = { ...before };
  for (const name of NAMES) {
    const value = getField(changes, name);
    if (value === undefined) continue;
    if (name === 'connect' && !global) {
      throw opFailed('The `connect` permission is only valid at the global scope.');
    }
    if (value === null) delete merged[name];
    else if (typeof value === 'boolean') merged[name] = value;
    else throw opFailed(`Expected a boolean or null for \`${name}\`, got ${printDatum(value)}.`);
  }
  const unknown = sortedKeys(changes).filter((key) => !NAMES.some((name) => name === key));
  if (unknown.length > 0) throw opFailed(`Unexpected key(s) \`${unknown.join('`, `')}\`.`);
  return merged;
}

const shown = (permissions: Permissions): Datum => (Object.keys(permissions).length === 0 ? null : { ...permissions });

function scopeOf(args: Args): PermissionScope {
  if (args.count === 2) return {};
  const value = args.value(0);
  if (value instanceof EmbeddedDb) return value.scope;
  if (!(value instanceof EmbeddedTable)) throw wrongType(value, 'TABLE', args.maker(0));
  return value.handle.scope;
}

function grant(args: Args, users: Users): Value {
  const name = args.string(args.count - 2);
  const changes = args.datum(args.count - 1);
  const scope = scopeOf(args);
  if (name === ADMIN) throw opFailed(`The permissions of the user \`${name}\` can't be modified.`);
  // It writes to `rethinkdb.permissions`, which it reads first.
  for (const permission of ['read', 'write'] as const) requirePermission(args.context, permission, SYSTEM);
  const user = users.get(name);
  if (user === undefined) throw opFailed(`User \`${name}\` not found.`);
  const key = scopeKey(scope);
  const before = user.permissions.get(key) ?? {};
  const after = merge(before, changes, key === '');
  users.put({ ...user, permissions: new Map([...user.permissions, [key, after]]) });
  return { granted: 1, permissions_changes: [{ new_val: shown(after), old_val: shown(before) }] };
}

export function grantTerms(users: Users): TermTable {
  return { [TermType.GRANT]: op((args) => grant(args, users)) };
}
