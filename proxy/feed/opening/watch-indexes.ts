// The secondary indexes of a live query, and watching over them.

import type { Live } from '../../../rewrite/live.ts';
import type { Entry } from '../../../rewrite/reql/term/term.ts';
import { type IndexRead, indexesRead } from '../../../rewrite/sources/indexes-read.ts';
import type { IndexLost, IndexWatches } from '../index-watch/index-watches.ts';

/** Watches indexes from now on; returns what ends it. */
export function watchAll(
  watches: IndexWatches,
  reads: readonly IndexRead[],
  globalOptargs: readonly Entry[],
  lost: IndexLost,
): () => void {
  const releases = reads.map((read) => watches.watch(read, globalOptargs, lost));
  return () => {
    for (const release of releases) release();
  };
}

/** The secondary indexes that a live query and those beside it read. */
export function indexesOf({ changes, beside, globalOptargs }: Live): readonly IndexRead[] {
  const [watched] = changes.args;
  const own = watched === undefined ? [] : indexesRead(watched, globalOptargs);
  return [...own, ...[...beside.values()].flatMap(({ live }) => indexesOf(live))];
}
