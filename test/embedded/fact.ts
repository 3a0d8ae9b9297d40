// The facts recorded from RethinkDB 2.4.4, as data (test/facts).

import { readdirSync, readFileSync } from 'node:fs';
import type { WireResponse } from './wire-client.ts';

/** One query and its answer. */
export interface QueryFact {
  /** The query as the recorder wrote it; unique within its family. */
  readonly reql: string;
  readonly ast: unknown;
  readonly res: WireResponse & { readonly stopped?: WireResponse };
}

/** What happened to a feed, in order. */
export type LogEntry =
  | { readonly open: WireResponse }
  | { readonly write: string }
  | { readonly batch: WireResponse }
  | { readonly stop: WireResponse };

export interface FeedFact {
  readonly id: string;
  readonly seed: readonly string[];
  readonly ast: unknown;
  readonly log: readonly LogEntry[];
}

interface Fixture {
  readonly db: string;
  readonly tables: Readonly<Record<string, { readonly docs: string }>>;
}

const FOLDER = new URL('../facts/', import.meta.url);

function lines<Fact>(name: string): readonly Fact[] {
  const text = readFileSync(new URL(`${name}.jsonl`, FOLDER), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Names of the families of queries that are there, the script of writes last. */
export function families(): readonly string[] {
  const names = readdirSync(FOLDER).flatMap((file) =>
    file.endsWith('.jsonl') ? [file.slice(0, -'.jsonl'.length)] : [],
  );
  return [...names.filter((name) => name !== 'feeds' && name !== 'table_write').sort(), 'table_write'];
}

export const queryFacts = (family: string): readonly QueryFact[] => lines<QueryFact>(family);

export const feedFacts = (): readonly FeedFact[] => lines<FeedFact>('feeds');

export const fixture = (): Fixture => JSON.parse(readFileSync(new URL('fixture.json', FOLDER), 'utf8'));
