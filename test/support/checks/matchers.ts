// Expectations besides plain equality, in the words of RethinkDB's own suite: `partial`, `bag` and `error`.

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { DriverError, type ErrorKind } from './driver-error.ts';

/** Documents that come in any order. */
export class Bag {
  readonly documents: readonly unknown[];

  constructor(documents: readonly unknown[]) {
    this.documents = documents;
  }
}

/** These documents, in any order. */
export function bag(...documents: readonly unknown[]): Bag {
  return new Bag(documents);
}

/** An error of a query. */
export class ExpectedError {
  readonly kind: ErrorKind;
  readonly text: string | RegExp;

  constructor(kind: ErrorKind, text: string | RegExp) {
    this.kind = kind;
    this.text = text;
  }
}

/** An error of this kind with this text: the whole of it, or what the expression finds in it. */
export function error(kind: ErrorKind, text: string | RegExp): ExpectedError {
  return new ExpectedError(kind, text);
}

/** Fails unless something is raised as expected. Drivers that do not tell the kind are believed. */
export function expectError(raised: unknown, expected: ExpectedError): void {
  if (!(raised instanceof DriverError)) throw raised instanceof Error ? raised : new Error(`raised ${String(raised)}`);
  if (typeof expected.text === 'string') expect(raised.text).toBe(expected.text);
  else expect(raised.text).toMatch(expected.text);
  if (raised.kind !== undefined) expect(raised.kind).toBe(expected.kind);
}

/** What a promise rejects with; fails when it resolves. */
export async function raisedBy(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`should have raised, but gave ${JSON.stringify(value)}`);
}

/** Fails unless documents are as expected: in order, or as a bag. */
export function expectDocuments(actual: readonly unknown[], expected: readonly unknown[] | Bag): void {
  if (!(expected instanceof Bag)) {
    expect(actual).toStrictEqual(expected);
    return;
  }
  const left = [...expected.documents];
  for (const document of actual) {
    const at = left.findIndex((candidate) => isDeepStrictEqual(candidate, document));
    if (at === -1) expect(actual, 'in any order').toStrictEqual(expected.documents);
    left.splice(at, 1);
  }
}
