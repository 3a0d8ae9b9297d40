// The readers of what is written behind an option. What cannot be read throws an InvalidArgumentError that says what would do.

import { InvalidArgumentError } from 'commander';
import { type Address, AddressError, parseAddress } from '../../proxy/upstream/address.ts';

/** The driver port of a RethinkDB as it comes. */
export const UPSTREAM_PORT = 28015;

/** Reads `HOST:PORT`. */
export function address(text: string, defaultPort?: number): Address {
  try {
    return parseAddress(text, defaultPort);
  } catch (error) {
    throw error instanceof AddressError ? new InvalidArgumentError(error.message) : error;
  }
}

/** Reads `HOST:PORT` or a port, which alone is on this machine: nobody else is shown anything unless that is said. */
export function adminAddress(text: string): Address {
  const port = /^:?(\d+)$/.exec(text.trim())?.[1];
  return address(port === undefined ? text : `127.0.0.1:${port}`);
}

/** Reads servers, separated by commas, behind those that an earlier occurrence of the option gave. */
export function upstreamAddresses(text: string, previous: unknown): readonly unknown[] {
  const before: readonly unknown[] = Array.isArray(previous) ? previous : [];
  return [...before, ...text.split(',').map((part) => upstreamAddress(part.trim()))];
}

function upstreamAddress(text: string): Address {
  const read = address(text, UPSTREAM_PORT);
  if (read.port === 0) throw new InvalidArgumentError('The port 0 is out of range: the lowest is 1.');
  return read;
}

/** Reads a whole number that is `least` or more: 0 or 1. */
export function count(text: string, least = 1): number {
  const value = Number(text);
  const wanted = least === 0 ? 'a whole number, 0 or more' : 'a positive whole number';
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
    throw new InvalidArgumentError(`It must be ${wanted}.`);
  }
  return value;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Reads a number of bytes, with a unit or without. */
export function bytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
  const value = Math.floor(Number(number) * (UNITS[unit.toLowerCase()] ?? 0));
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It must be a number of bytes, like 1000000, 512K, 64M or 2G.');
  }
  return value;
}

const LONGEST_SECONDS = 1_000_000;

/** Reads seconds, as they are written. */
export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= LONGEST_SECONDS)) {
    throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${LONGEST_SECONDS}.`);
  }
  return value;
}
