// The server plan: one fold inside RethinkDB makes the documents, the proxy hands them on.

import type { FoldableLive, Live } from '../../rewrite/live.ts';
import { getField, isObject } from '../../rewrite/reql/datum.ts';
import { datumKey } from '../../rewrite/reql/datum-key.ts';
import { ReqlError } from '../../rewrite/reql/error.ts';
import { subjectOf } from '../../rewrite/subject.ts';
import type { StartQuery } from '../../rewrite/term/term.ts';
import type { Feed } from '../feed-port.ts';
import { Delivery, type DeliverySettings } from './delivery.ts';
import { type DocumentReader, readDocument } from './documents.ts';
import { SCALAR_KEY } from './operator/difference.ts';
import { overflowOf, withoutOverflow } from './overflow.ts';
import { Upstream } from './upstream.ts';

/** What a feed of the server plan is opened with. */
export interface RelayFeedSettings extends Omit<DeliverySettings, 'stopUpstream'> {
  readonly live: Live;
  readonly watched: FoldableLive['watched'];
  /** The rewritten query, without the terms after `changes`. */
  readonly query: StartQuery;
}

/** A feed that is folded inside RethinkDB. */
export class RelayFeed implements Feed {
  readonly #live: Live;
  readonly #upstream: Upstream;
  readonly #delivery: Delivery;
  readonly #reader: DocumentReader;

  constructor(settings: RelayFeedSettings) {
    const { watched } = settings;
    this.#live = settings.live;
    this.#reader = { of: subjectOf(watched), keyOf: keys[watched.kind] };
    this.#upstream = new Upstream(settings.io, settings.query, {
      response: (body) => this.#response(body),
      failed: (error) => this.#delivery.fail(error),
      lost: () => {},
    });
    this.#delivery = new Delivery({ ...settings, stopUpstream: () => this.#upstream.stop() });
  }

  #response(body: Buffer): void {
    const response = this.#upstream.read(body);
    if (response === undefined) return;
    const { origin } = this.#live.changes;
    if (response instanceof ReqlError) {
      this.#delivery.fail(withoutOverflow(response, origin));
      return;
    }
    for (const datum of response.documents) {
      const overflow = isObject(datum) ? overflowOf(datum, origin) : undefined;
      if (overflow !== undefined) {
        this.#delivery.fail(overflow);
        return;
      }
      const document = readDocument(datum, this.#reader);
      if (document !== undefined) this.#delivery.push(document);
    }
    if (response.more) this.#delivery.flush(response.profile);
    else this.#delivery.complete();
  }

  continue(): void {
    this.#delivery.continue();
  }

  stop(): void {
    this.#delivery.stop();
  }

  resume(): void {
    this.#delivery.resume();
  }

  shrink(): void {
    this.#delivery.shrink();
  }

  close(): void {
    this.#delivery.close();
  }

  abort(error: ReqlError): void {
    this.#delivery.fail(error);
  }
}

const unnamed = (): undefined => undefined;

/** What a document is about, by what is watched: `undefined` for rows that are known by their value alone. */
const keys: { readonly [Kind in FoldableLive['watched']['kind']]: DocumentReader['keyOf'] } = {
  aggregate: () => SCALAR_KEY,
  expression: () => SCALAR_KEY,
  grouped: (group) => datumKey(group ?? null),
  distinct: (_, row) => datumKey(row),
  ungroup: (_, row) => (isObject(row) ? datumKey(getField(row, 'group') ?? null) : undefined),
  top: unnamed,
  flat: unnamed,
  listed: unnamed,
};
