// The users of the server with their passwords and permissions (user.cc, permissions.cc). The user `admin` always is
// there and may do everything.

import { createPassword, DEFAULT_ITERATIONS, type Password } from './password.ts';

export type Permission = 'read' | 'write' | 'config' | 'connect';

/** The permissions granted or denied in one scope; absent permissions are left to the scope around it. */
export type Permissions = Readonly<Partial<Record<Permission, boolean>>>;

/** A scope of permissions: everything, a database or a table, by id. */
export interface PermissionScope {
  readonly database?: string;
  readonly table?: string;
}

export interface User {
  readonly name: string;
  readonly password: Password;
  /** By scope key: `''`, a database's id, or a database's and a table's id with a dot between. */
  readonly permissions: ReadonlyMap<string, Permissions>;
}

export const ADMIN = 'admin';

/** The id that the database `rethinkdb` has on every server. What is granted on everything does not reach into it. */
export const SYSTEM_DATABASE_ID = 'b99b9572-8e53-5fef-9a2b-5e6aba3edf1c';

/** The key of a scope in a user's permissions. */
export function scopeKey({ database, table }: PermissionScope): string {
  if (database === undefined) return '';
  return table === undefined ? database : `${database}.${table}`;
}

export class Users {
  readonly #users = new Map<string, User>();

  /** `adminPassword`: the empty text lets everybody in as admin, as a new RethinkDB does. */
  constructor(adminPassword: string) {
    const all = { read: true, write: true, config: true, connect: true };
    // One iteration for the empty password: there is nothing to protect, and connecting stays quick.
    const password = createPassword(adminPassword, adminPassword === '' ? 1 : DEFAULT_ITERATIONS);
    this.#users.set(ADMIN, { name: ADMIN, password, permissions: new Map([['', all]]) });
  }

  get(name: string): User | undefined {
    return this.#users.get(name);
  }

  /** Users in the byte order of their names. */
  get all(): readonly User[] {
    return [...this.#users.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  put(user: User): void {
    this.#users.set(user.name, user);
  }

  remove(name: string): void {
    this.#users.delete(name);
  }

  /** Whether a user has a permission in a scope. Who may not read may not write, whatever was granted. */
  allows(name: string, permission: Permission, scope: PermissionScope): boolean {
    if (name === ADMIN) return true;
    const permissions = this.#users.get(name)?.permissions;
    if (permissions === undefined) return false;
    const allowed = this.#isGranted(permissions, permission, scope);
    return permission === 'write' ? allowed && this.#isGranted(permissions, 'read', scope) : allowed;
  }

  /** The innermost scope that says anything decides. */
  #isGranted(permissions: User['permissions'], permission: Permission, scope: PermissionScope): boolean {
    const { database } = scope;
    const inner = [scopeKey(scope), ...(database === undefined ? [] : [scopeKey({ database })])];
    const keys = database === SYSTEM_DATABASE_ID ? inner : [...inner, ''];
    for (const key of keys) {
      const granted = permissions.get(key)?.[permission];
      if (granted !== undefined) return granted;
    }
    return false;
  }
}
