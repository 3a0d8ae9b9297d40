// Revisions: a text on each document that says how much of a feed its client has been told. Texts of one feed grow. For who writes
// and reads them they say:
//
//   0k3jq8v1c2d 00000 .  payload       the place of the change, a number that counts documents at that place, and the rest as base64
//
// The rest names the query and the share, and, of one value, holds the value itself, so that it can be taken up anywhere.

import { type Datum, isObject } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';

/** The extent of what the client of a document has been told with it. */
export interface Told {
  /** The place of the last change of what it tells. */
  readonly at: number;
  /** Counts documents of one place. */
  readonly nth: number;
  /**
   * `all`: everything up to the place. `some`: of what changed between two places all that changed last up to this place, and
   * nothing of the rest. `part`: a part of what was there at first, or of a net change, from which nothing can be taken up.
   */
  readonly extent: 'all' | 'part' | { readonly from: number; readonly to: number };
}

/** The place where a feed is to be taken up. */
export interface Since {
  readonly told: Told;
  /** Of which query, and which user. */
  readonly query: string;
  /** Of which share. */
  readonly share: string;
  /** The value that was told, where the feed has one. */
  readonly value: { readonly now: Datum } | undefined;
}

const PLACE_DIGITS = 11;
const NTH_DIGITS = 6;
const HEAD = new RegExp(`^([0-9a-z]{${PLACE_DIGITS}})([0-9a-z]{${NTH_DIGITS}})\\.([\\w-]+)$`);
const BASE = 36;

/** A revision as text. */
export function revText({ told, query, share, value }: Since): string {
  const { at, nth, extent } = told;
  const range = typeof extent === 'object' ? [extent.from, extent.to] : [];
  const rest = jsonText([
    query,
    share,
    typeof extent === 'object' ? 'some' : extent,
    ...range,
    ...(value === undefined ? [] : [{ now: value.now }]),
  ]);
  return `${digits(at, PLACE_DIGITS)}${digits(nth, NTH_DIGITS)}.${Buffer.from(rest).toString('base64url')}`;
}

/** Reads a revision; `undefined` for a text that is none. */
export function readRev(text: string): Since | undefined {
  const [, at = '', nth = '', payload = ''] = HEAD.exec(text) ?? [];
  const rest = payload === '' ? undefined : parsed(Buffer.from(payload, 'base64url').toString());
  if (!Array.isArray(rest)) return undefined;
  const [query, share, kind, ...more]: readonly Datum[] = rest;
  if (typeof query !== 'string' || typeof share !== 'string') return undefined;
  const [from, to] = more;
  const last = more.at(-1);
  const value = isObject(last ?? null) ? (last as { readonly now: Datum }) : undefined;
  const isSome = kind === 'some' && typeof from === 'number' && typeof to === 'number';
  const extent = isSome ? { from, to } : kind === 'all' || kind === 'part' ? kind : undefined;
  if (extent === undefined) return undefined;
  return { told: { at: number(at), nth: number(nth), extent }, query, share, value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digits(value: number, count: number): string {
  return value.toString(BASE).padStart(count, '0');
}

function number(text: string): number {
  return Number.parseInt(text, BASE);
}
