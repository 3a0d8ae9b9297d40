// The indexes of one table that feeds of one connection read: a sentinel for each, and one question for all of them.

import { opFailed, type ReqlError } from '../../../rewrite/reql/error.ts';
import type { Entry, Term } from '../../../rewrite/reql/term/term.ts';
import type { IndexRead } from '../../../rewrite/sources/indexes-read.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import { IndexSentinel } from './index-sentinel.ts';
import type { IndexLost, IndexWatchSettings } from './index-watches.ts';
import { readTableIndexes, type TableIndexes, tableIndexesQuery } from './table-indexes.ts';

/** A feed that reads an index. */
interface Reader {
  readonly lost: IndexLost;
  /** Called where the name of the table turns out to be another one's: the feed may have been opened on that one. */
  readonly rejoin: () => void;
  /** Whether the table has answered for the index since the feed was opened. */
  isConfirmed: boolean;
}

/** An index that feeds read. */
interface WatchedIndex {
  readonly read: IndexRead;
  readonly readers: Set<Reader>;
  sentinel: IndexSentinel | undefined;
  /** As it was when it was first seen. */
  definition: string | undefined;
  /** Whether there can be no sentinel: an index of places has no order, and the primary key is never made anew. */
  unguarded: boolean;
}

/** Whose indexes are watched. */
export interface TableWatchSettings extends IndexWatchSettings {
  readonly table: Term;
  readonly globalOptargs: readonly Entry[];
}

const REPLACED = /^The secondary index `.*` was replaced by a different one\.$/s;

export class TableWatch {
  readonly #port: UpstreamPort;
  readonly #settings: TableWatchSettings;
  /** Called once no feed shall be watched by this any more. */
  readonly #over: () => void;
  readonly #indexes = new Map<string, WatchedIndex>();
  #cancel: (() => void) | undefined;
  #isAsking = false;
  /** Whether a feed was opened after the question that is out. */
  #isStale = false;
  /** The table that the first answer was of. */
  #id: string | undefined;

  constructor(port: UpstreamPort, settings: TableWatchSettings, over: () => void) {
    this.#port = port;
    this.#settings = settings;
    this.#over = over;
  }

  /** Watches for one more feed. Returns what ends it. */
  watch(read: IndexRead, lost: IndexLost, rejoin: () => void): () => void {
    const index = this.#indexes.get(read.index) ?? this.#add(read);
    const reader: Reader = { lost, rejoin, isConfirmed: false };
    index.readers.add(reader);
    this.#isStale = true;
    // Behind the query of the feed, which is sent now.
    this.#checkIn(0);
    return () => this.#leave(index, reader);
  }

  #add(read: IndexRead): WatchedIndex {
    const index: WatchedIndex = {
      read,
      readers: new Set(),
      sentinel: undefined,
      definition: undefined,
      unguarded: false,
    };
    this.#indexes.set(read.index, index);
    this.#guard(index);
    return index;
  }

  #guard(index: WatchedIndex): void {
    const { globalOptargs, protocol } = this.#settings;
    index.sentinel = new IndexSentinel(this.#port, index.read, globalOptargs, protocol, (error) => {
      index.sentinel = undefined;
      // Any other end of it ends the feeds as well, or is over by the next question.
      if (error !== undefined && REPLACED.test(error.message)) this.#lose(index, opFailed(error.message));
    });
  }

  #leave(index: WatchedIndex, reader: Reader): void {
    if (!index.readers.delete(reader) || index.readers.size > 0) return;
    this.#drop(index);
  }

  #drop(index: WatchedIndex): void {
    index.sentinel?.stop();
    index.sentinel = undefined;
    if (this.#indexes.get(index.read.index) === index) this.#indexes.delete(index.read.index);
    if (this.#indexes.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#over();
  }

  #lose(index: WatchedIndex, error: ReqlError): void {
    const readers = [...index.readers];
    index.readers.clear();
    this.#drop(index);
    for (const { lost } of readers) lost(error);
  }

  #checkIn(ms: number): void {
    if (this.#isAsking) return;
    this.#cancel?.();
    this.#cancel = this.#port.schedule(ms, () => this.#check());
  }

  #check(): void {
    const { table, globalOptargs } = this.#settings;
    this.#cancel = undefined;
    this.#isAsking = true;
    this.#isStale = false;
    const asked = [...this.#indexes.values()];
    for (const { sentinel } of asked) sentinel?.look();
    const names = asked.map(({ read }) => read.index);
    this.#port.ask(tableIndexesQuery(table, globalOptargs, names), (body) => {
      this.#isAsking = false;
      const table = readTableIndexes(body);
      // A table that does not answer is asked again.
      if (table !== undefined) this.#compare(table, asked);
      if (this.#indexes.size > 0) this.#checkIn(this.#isStale ? 0 : this.#settings.every);
    });
  }

  /** The answer tells of the indexes that were asked about: of those that came since, neither that they are there nor that one is the key. */
  #compare(table: TableIndexes, asked: readonly WatchedIndex[]): void {
    this.#id ??= table.id;
    if (this.#id !== table.id) {
      this.#renamed();
      return;
    }
    for (const index of asked) {
      if (this.#indexes.get(index.read.index) === index) this.#compareIndex(index, table);
    }
  }

  #compareIndex(index: WatchedIndex, { name, primaryKey, indexes }: TableIndexes): void {
    const { read } = index;
    index.definition ??= indexes.get(read.index)?.definition;
    const state = indexes.get(read.index);
    if (read.index === primaryKey) {
      index.unguarded = true;
      index.sentinel?.stop();
      index.sentinel = undefined;
    } else if (state === undefined) {
      this.#lose(index, opFailed(`Index \`${read.index}\` was not found on table \`${name}\`.`));
    } else if (state.definition !== index.definition) {
      this.#lose(index, opFailed(`The secondary index \`${read.index}\` was replaced by a different one.`));
    } else {
      index.unguarded = state.geo;
      if (index.sentinel === undefined && !index.unguarded) this.#guard(index);
      // A feed that was opened behind the question may be of another index.
      if (!this.#isStale) for (const reader of index.readers) reader.isConfirmed = true;
    }
  }

  /** The table has another name now, which nobody tells. Its sentinels go on; feeds opened lately may be of the table that has
   * its name. */
  #renamed(): void {
    this.#over();
    const late = [...this.#indexes.values()].flatMap(({ readers }) =>
      [...readers].filter((reader) => !reader.isConfirmed),
    );
    for (const reader of late) {
      reader.isConfirmed = true;
      reader.rejoin();
    }
  }
}
