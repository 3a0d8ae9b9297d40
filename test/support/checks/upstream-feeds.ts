// The feeds that upstream runs for a user, beside the shares that the proxy has: one for each, but while one connection hands over
// to another.

import { QuietObserver } from '../../../proxy/observer/quiet-observer.ts';
import type { Reql } from '../reql.ts';
import type { Connection } from '../servers/drivers.ts';

/** Counts shares as an observer of the proxy, and feeds as the table `jobs` shows them. */
export class UpstreamFeeds extends QuietObserver {
  readonly #user: string;
  #shares = 0;

  /** `user`: whose feeds are counted; nobody else is to follow anything through the proxy. */
  constructor(user: string) {
    super();
    this.#user = user;
  }

  override shareOpened(): void {
    this.#shares++;
  }

  override shareEnded(): void {
    this.#shares--;
  }

  /** How many run now. */
  async running(database: Connection): Promise<number> {
    const count = await database.run((r) =>
      r
        .db('rethinkdb')
        .table('jobs')
        .filter((job: Reql) => job('type').eq('query').and(job('info')('user').eq(this.#user)))
        .filter((job: Reql) => job('info')('query').match('changes\\('))
        // The watches over indexes are one for each connection and index.
        .filter((job: Reql) => job('info')('query').match('livefold: no row').eq(null))
        .count(),
    );
    return Number(count);
  }

  /** Looks until the function returned is called, which resolves to the longest time for which there was a feed too many. */
  watch(database: Connection): () => Promise<number> {
    let isOver = false;
    let longest = 0;
    let since: number | undefined;
    const looking = (async () => {
      while (!isOver) {
        const before = this.#shares;
        const running = await this.running(database);
        const now = performance.now();
        if (running <= Math.max(before, this.#shares)) {
          since = undefined;
        } else {
          since ??= now;
          longest = Math.max(longest, now - since);
        }
      }
    })();
    return async () => {
      isOver = true;
      await looking;
      return longest;
    };
  }
}
