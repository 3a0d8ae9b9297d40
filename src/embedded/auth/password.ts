// Passwords as the server keeps them: salted and hashed, never in the clear (password.cc, RFC 5802).

import { pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Password {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly hash: Buffer;
  readonly isEmpty: boolean;
}

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Iterations for passwords that do not say how many (password.hpp). */
export const DEFAULT_ITERATIONS = 4096;

// SASLprep, as far as passwords that people type go: compatibility forms are unified.
const prepare = (text: string): string => text.normalize('NFKC');

export function createPassword(text: string, iterations: number): Password {
  const salt = randomBytes(SALT_BYTES);
  const hash = pbkdf2Sync(prepare(text), salt, iterations, HASH_BYTES, 'sha256');
  return { salt, iterations, hash, isEmpty: text === '' };
}

/** Whether a text is the password. */
export function matchesPassword(password: Password, text: string): boolean {
  const hash = pbkdf2Sync(prepare(text), password.salt, password.iterations, HASH_BYTES, 'sha256');
  return timingSafeEqual(hash, password.hash);
}
