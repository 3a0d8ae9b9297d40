// The context of one query of a client: the evaluation's, the user who asks, and the feeds it has opened.

import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { internalError, permissionError, ReqlError } from '../../../rewrite/reql/error.ts';
import type { Value } from '../../../rewrite/reql/eval/core/value.ts';
import type { EvalContext, RandomSource, TermTable } from '../../../rewrite/reql/eval/index.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import { ADMIN, type Permission, type PermissionScope, type Users } from '../auth/users.ts';
import type { Subscription } from '../feed/subscription.ts';

export class QueryContext implements EvalContext {
  readonly terms: TermTable;
  readonly arrayLimit: number;
  readonly now: DatumObject | undefined;
  readonly random: RandomSource | undefined;
  readonly meter: Meter;
  readonly user: string;
  readonly #users: Users;
  readonly #base: EvalContext;
  readonly #feeds: Subscription[] = [];

  constructor(base: EvalContext, user: string, users: Users) {
    this.#base = base;
    this.terms = base.terms;
    this.arrayLimit = base.arrayLimit;
    this.now = base.now;
    this.random = base.random;
    this.meter = base.meter;
    this.user = user;
    this.#users = users;
  }

  globalOptarg(name: string): Value | undefined {
    return this.#base.globalOptarg(name);
  }

  hasGlobalOptarg(name: string): boolean {
    return this.#base.hasGlobalOptarg(name);
  }

  /** Raises PERMISSION_ERROR, without an origin, where the user may not do something. */
  require(permission: Permission, scope: PermissionScope): void {
    if (!this.#users.allows(this.user, permission, scope)) throw missingPermission(this.user, permission);
  }

  keep(feed: Subscription): void {
    this.#feeds.push(feed);
  }

  /** Closes every feed that the query has opened. */
  close(): void {
    for (const feed of this.#feeds) feed.close();
  }
}

const missingPermission = (user: string, permission: Permission) =>
  permissionError(`User \`${user}\` does not have the required \`${permission}\` permission.`);

const isMissingPermission = (error: unknown): error is ReqlError =>
  error instanceof ReqlError && error.errorType === ErrorType.PERMISSION_ERROR;

/** The error for a few terms that let a missing permission go as a mistake of the server's own (changefeed.cc, write_hook.cc). */
export function asMistake<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw isMissingPermission(error) ? internalError(`Unexpected exception: ${error.message}`) : error;
  }
}

/** Raises PERMISSION_ERROR for all but clients that may do something; an evaluation without a client may do all. */
export function requirePermission(context: EvalContext, permission: Permission, scope: PermissionScope): void {
  if (context instanceof QueryContext && context.user !== ADMIN) context.require(permission, scope);
}
