// Watches over the indexes that feeds read. An index that is dropped, renamed or made anew under a feed leaves it silent, or goes
// on under it with other keys, and RethinkDB says nothing: what the feed shows would be wrong for ever. Each connection has one
// sentinel for each index, and asks for the indexes of each table now and then, however many feeds read them.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Entry } from '../../../rewrite/reql/term/term.ts';
import type { IndexRead } from '../../../rewrite/sources/indexes-read.ts';
import type { FeedQuery, UpstreamPort } from '../../relay/feed-port.ts';
import { tableKey } from './table-indexes.ts';
import { TableWatch } from './table-watch.ts';

/** Told that what a feed has read of an index is worth nothing any more: in the words of the server. */
export type IndexLost = (error: ReqlError) => void;

/** The settings of a connection's watches. */
export interface IndexWatchSettings {
  readonly protocol: FeedQuery['protocol'];
  /** Milliseconds from one question for the indexes of a table to the next. */
  readonly every: number;
}

/** All that is watched on one connection. */
export class IndexWatches {
  readonly #port: UpstreamPort;
  readonly #settings: IndexWatchSettings;
  readonly #tables = new Map<string, TableWatch>();

  constructor(port: UpstreamPort, settings: IndexWatchSettings) {
    this.#port = port;
    this.#settings = settings;
  }

  /** Watches an index from now on: call it right before the feed is opened. Returns what ends it. */
  watch(read: IndexRead, globalOptargs: readonly Entry[], lost: IndexLost): () => void {
    const key = tableKey(read, globalOptargs);
    const releases: (() => void)[] = [];
    let isReleased = false;
    const join = (): void => {
      if (!isReleased) releases.push(this.#table(key, read, globalOptargs).watch(read, lost, join));
    };
    join();
    return () => {
      isReleased = true;
      for (const release of releases) release();
    };
  }

  #table(key: string, { table }: IndexRead, globalOptargs: readonly Entry[]): TableWatch {
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const watch: TableWatch = new TableWatch(this.#port, { ...this.#settings, table, globalOptargs }, () => {
      if (this.#tables.get(key) === watch) this.#tables.delete(key);
    });
    this.#tables.set(key, watch);
    return watch;
  }
}
