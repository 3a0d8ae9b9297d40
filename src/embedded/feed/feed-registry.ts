// All feeds of one table, arranged so that a change is shown to those it can concern: feeds on keys are found by key,
// only feeds on ranges are asked one by one.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { OutOfSteps } from '../../../rewrite/reql/meter.ts';
import type { SecondaryIndex } from '../storage/secondary-index.ts';
import type { RowChange, TableListener } from '../storage/table-store.ts';
import { ChangeView } from './change-view.ts';
import { EmptySubscription } from './empty-subscription.ts';
import { LimitSubscription } from './limit-subscription.ts';
import { PointSubscription } from './point-subscription.ts';
import { RangeSubscription } from './range-subscription.ts';
import type { Subscription } from './subscription.ts';

/** Feeds by key. A key without feeds has no entry. */
class KeyedFeeds<S> {
  readonly #feeds = new Map<string, Set<S>>();

  add(key: string, feed: S): void {
    const feeds = this.#feeds.get(key);
    if (feeds === undefined) this.#feeds.set(key, new Set([feed]));
    else feeds.add(feed);
  }

  remove(key: string, feed: S): void {
    const feeds = this.#feeds.get(key);
    feeds?.delete(feed);
    if (feeds?.size === 0) this.#feeds.delete(key);
  }

  at(key: string): Iterable<S> {
    return this.#feeds.get(key) ?? [];
  }
}

/** A feed whose terms take too many steps for a row ends; whoever has written the row is told nothing of it. */
function show(feed: Changeable, view: ChangeView): void {
  try {
    feed.changed(view);
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    feed.fail(error);
  }
}

type Changeable = RangeSubscription | PointSubscription | LimitSubscription;

export class FeedRegistry implements TableListener {
  readonly #all = new Set<Subscription>();
  readonly #unkeyed = new Set<Changeable>();
  readonly #byPrimaryKey = new KeyedFeeds<Changeable>();
  readonly #byIndexKey = new Map<string, KeyedFeeds<RangeSubscription>>();

  /** How many feeds are open on the table. */
  get size(): number {
    return this.#all.size;
  }

  /** Shows a feed all changes from now on, until it is closed. */
  add(feed: Subscription): void {
    this.#all.add(feed);
    const leave = this.#place(feed);
    feed.onClose(() => {
      this.#all.delete(feed);
      leave();
    });
  }

  /** Ends all feeds with an error. */
  abort(error: ReqlError): void {
    for (const feed of this.#all) feed.fail(error);
  }

  changed(change: RowChange): void {
    if (this.#all.size === 0) return;
    const view = new ChangeView(change);
    for (const feed of this.#byPrimaryKey.at(change.key)) show(feed, view);
    for (const feed of this.#unkeyed) show(feed, view);
    for (const [index, feeds] of this.#byIndexKey) {
      const entries = change.entries.get(index);
      if (entries === undefined) continue;
      const concerned = new Set<RangeSubscription>();
      for (const { secondary } of [...entries.old, ...entries.now]) {
        for (const feed of feeds.at(secondary)) concerned.add(feed);
      }
      for (const feed of concerned) show(feed, view);
    }
  }

  indexBuilt(name: string, index: SecondaryIndex): void {
    for (const feed of this.#all) if (feed instanceof LimitSubscription) feed.indexSeen(name, index);
  }

  #place(feed: Subscription): () => void {
    if (feed instanceof EmptySubscription) return () => {};
    if (feed instanceof PointSubscription) {
      this.#byPrimaryKey.add(feed.key, feed);
      return () => this.#byPrimaryKey.remove(feed.key, feed);
    }
    if (feed instanceof RangeSubscription && feed.spec.selection.kind === 'keys') {
      const keys = [...feed.spec.selection.copies.keys()];
      const feeds = feed.spec.index === undefined ? this.#byPrimaryKey : this.#keyed(feed.spec.index);
      for (const key of keys) feeds.add(key, feed);
      return () => {
        for (const key of keys) feeds.remove(key, feed);
      };
    }
    if (feed instanceof RangeSubscription || feed instanceof LimitSubscription) {
      this.#unkeyed.add(feed);
      return () => this.#unkeyed.delete(feed);
    }
    return () => {};
  }

  #keyed(index: string): KeyedFeeds<RangeSubscription> {
    const known = this.#byIndexKey.get(index);
    if (known !== undefined) return known;
    const feeds = new KeyedFeeds<RangeSubscription>();
    this.#byIndexKey.set(index, feeds);
    return feeds;
  }
}
