// Those who follow a share, those who are about to, and the connections that they have: one of them carries the query.

import type { FeedIo, UpstreamPort } from '../../relay/feed-port.ts';
import type { Subscription } from '../subscription/subscription.ts';

/** The followers of one share. */
export class Followers {
  readonly #subscribers = new Set<Subscription>();
  /** Those who are to follow when the state has been read again over a connection of theirs. */
  readonly #coming = new Set<FeedIo>();
  /** Those for whom the log may be too long. */
  readonly #short = new Set<Subscription>();

  /** How many follow. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** Who has followed for longest. */
  get first(): Subscription | undefined {
    const [first] = this.#subscribers;
    return first;
  }

  get all(): ReadonlySet<Subscription> {
    return this.#subscribers;
  }

  /** Whether anybody follows, or is about to. */
  get areThere(): boolean {
    return this.#subscribers.size > 0 || this.#coming.size > 0;
  }

  /** The connection that is to carry the query next. */
  get carrier(): UpstreamPort | undefined {
    const [coming] = this.#coming;
    return (this.first?.io ?? coming)?.shared;
  }

  has(subscription: Subscription): boolean {
    return this.#subscribers.has(subscription);
  }

  add(subscription: Subscription): void {
    this.#subscribers.add(subscription);
    if (subscription.isShort) this.#short.add(subscription);
  }

  /** Says whether it has followed until now. */
  delete(subscription: Subscription): boolean {
    this.#short.delete(subscription);
    return this.#subscribers.delete(subscription);
  }

  /** Somebody is about to follow. `gone`: his query is over, whether he follows or not. */
  comes(io: FeedIo, gone: () => void): void {
    this.#coming.add(io);
    io.whenOver(() => {
      this.#coming.delete(io);
      gone();
    });
  }

  /** Whether anybody follows over a connection, or is about to. */
  areOver(port: UpstreamPort): boolean {
    for (const { io } of this.#subscribers) if (io.shared === port) return true;
    for (const { shared } of this.#coming) if (shared === port) return true;
    return false;
  }

  /** The log has grown. */
  grown(): void {
    for (const subscription of [...this.#short]) subscription.io.run(() => subscription.grown());
  }

  /** A mistake in what is done for one of them is that one's. */
  each(act: (subscription: Subscription) => void): void {
    for (const subscription of [...this.#subscribers]) subscription.io.run(() => act(subscription));
  }
}
