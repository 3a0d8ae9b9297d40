// Writes the revisions of one client's documents.

import { opFailed, type ReqlError } from '../../../rewrite/reql/error.ts';
import { SCALAR_KEY, sameSide } from '../operator/difference.ts';
import type { Change, FeedDocument } from '../subscription/documents.ts';
import type { FirstDocuments } from '../subscription/openings.ts';
import { revText, type Since } from './rev.ts';

/** A client's wishes about revisions. */
export interface Revisions {
  /** Writes those of its documents; `undefined` where it wants none. */
  readonly writer: RevWriter | undefined;
  /** Where its feed is taken up; `undefined` where it begins. */
  readonly since: Since | undefined;
}

/** The revisions of one query. */
export class RevWriter {
  readonly #query: string;
  #share = '';

  /** `query`: a text that is the same for equal queries of one user. */
  constructor(query: string) {
    this.#query = query;
  }

  /** The client follows a share. */
  follow(share: string): void {
    this.#share = share;
  }

  /** The revision of a document; one of the log has not been marked for a client. */
  textOf(document: FeedDocument): string {
    const at = document.kind === 'change' || document.kind === 'outputs' ? (document.at ?? 0) : 0;
    const now = document.kind === 'change' && document.of === 'value' ? document.now : undefined;
    return revText({
      told: document.told ?? { at, nth: 0, extent: 'all' },
      query: this.#query,
      share: this.#share,
      value: document.told === undefined ? (now === undefined ? undefined : { now }) : document.value,
    });
  }
}

/** The net change of one value since a revision that holds what it was; `first` holds what it is. */
export function valueSince({ value }: Since, { documents }: FirstDocuments, at: number): readonly Change[] | undefined {
  const [first] = documents;
  if (value === undefined || first?.kind !== 'initial' || first.now === undefined) return undefined;
  if (sameSide(value.now, first.now)) return [];
  return [{ kind: 'change', of: 'value', key: SCALAR_KEY, group: undefined, old: value.now, now: first.now, at }];
}

/** The error for a revision from which the feed cannot be taken up. */
export function historyGone(): ReqlError {
  return opFailed(
    'Cannot take the feed up from `since`: what has changed since then is not kept, or never was by this process.  Open it without `since`, with `include_initial`.',
  );
}
