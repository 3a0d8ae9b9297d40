// The view that one client has of a feed's documents.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { Path } from '../../../rewrite/kinds/key-places.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import type { RevWriter } from '../revisions/rev-writer.ts';
import { type Change, documentDatum, documentText, type FeedDocument } from './documents.ts';
import { mergeDatum } from './merge-documents.ts';
import { namedOpening, namedParts, type RowsNamed, singleParts } from './named-parts.ts';

/** A way to show documents. */
export interface DocumentView {
  /** Equal for two views of one feed that show the same. */
  readonly name: string;
  /** Whether copies of equal rows are told apart, so that somebody has to count them. */
  readonly countsCopies: boolean;
  /** Where rows show the keys that they are named by; absent where they are named otherwise, or not at all. */
  readonly rowPaths?: readonly Path[];
  /** A document as JSON, keys in the order of the server. */
  text(document: FeedDocument): string;
  /** A document as the terms after `changes` see it. */
  datum(document: FeedDocument): DatumObject;
  /** The changes that a change is told as; absent where it is told as it is. */
  readonly parts?: (change: Change) => readonly Change[];
  /** The changes of single things that a change is, as their old and new values. */
  readonly singles: (change: Change) => readonly Change[];
  /** What there is at first, as it is told; absent where it is told as it is. */
  readonly opening?: (documents: readonly FeedDocument[]) => readonly FeedDocument[];
}

/**
 * The view that a client asks for.
 * @param named what names the rows of the feed, where it has rows
 * @param writer writes revisions, where the client wants them
 */
export function documentView(
  { includeTypes, format }: Pick<FeedOptions, 'includeTypes' | 'format'>,
  named: RowsNamed,
  writer: RevWriter | undefined,
): DocumentView {
  const name = `${format}${includeTypes ? ' with types' : ''}${writer === undefined ? '' : ' with revisions'}`;
  const isMerge = format === 'merge';
  const plain = (document: FeedDocument): DatumObject =>
    isMerge ? mergeDatum(document, includeTypes) : documentDatum(document, includeTypes);
  const datum = (document: FeedDocument): DatumObject =>
    writer === undefined ? plain(document) : { ...plain(document), rev: writer.textOf(document) };
  const singles = (change: Change): readonly Change[] => singleParts(change, named);
  if (!isMerge && writer === undefined) {
    return { name, countsCopies: false, text: (document) => documentText(document, includeTypes), datum, singles };
  }
  return {
    name,
    countsCopies: named === 'copy',
    ...(typeof named === 'object' ? { rowPaths: named.paths } : {}),
    text: (document) => jsonText(datum(document)),
    datum,
    parts: isMerge ? (change) => namedParts(change, named) : singles,
    singles,
    ...(isMerge ? { opening: (documents) => namedOpening(documents, named) } : {}),
  };
}
