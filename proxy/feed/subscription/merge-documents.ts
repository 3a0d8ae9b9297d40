// Documents as merges: `{key, body, reverse}`, with `group` where there are groups, and neither for one value.

import { mergesBetween, replacingMerge } from '../../../rewrite/merge/merge-between.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import {
  type ChangeDocument,
  documentDatum,
  documentType,
  type FeedDocument,
  type InitialDocument,
} from './documents.ts';

/** A document as a merge. One about outputs has been taken apart before. */
export function mergeDatum(document: FeedDocument, includeTypes: boolean): DatumObject {
  if (document.kind === 'state' || document.kind === 'outputs') return documentDatum(document, includeTypes);
  const { group, id, offsets } = document;
  return {
    ...mergesOf(document),
    ...(group === undefined ? {} : { group }),
    ...(offsets?.now === undefined ? {} : { new_offset: offsets.now }),
    ...(offsets?.old === undefined ? {} : { old_offset: offsets.old }),
    ...(id === undefined ? {} : { key: id }),
    ...(includeTypes ? { type: documentType(document) } : {}),
  };
}

function mergesOf(document: InitialDocument | ChangeDocument): DatumObject {
  if (document.kind === 'initial') return { body: replacingMerge(document.now) };
  const { body, reverse } = mergesBetween(document.old, document.now);
  return { body, reverse };
}
