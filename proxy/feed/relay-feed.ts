// The server plan: one fold inside RethinkDB makes the documents, the proxy hands them on.

import type { Live } from '../../rewrite/live.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../rewrite/reql/datum.ts';
import { datumKey } from '../../rewrite/reql/datum-key.ts';
import { ReqlError } from '../../rewrite/reql/error.ts';
import type { StartQuery } from '../../rewrite/term/term.ts';
import type { Feed } from '../feed-port.ts';
import { Delivery, type DeliverySettings } from './delivery.ts';
import { readDocument, SCALAR_KEY } from './documents.ts';
import { overflowOf, withoutOverflow } from './overflow.ts';
import { Upstream } from './upstream.ts';

/** What a feed of the server plan is opened with. */
export interface RelayFeedSettings extends Omit<DeliverySettings, 'stopUpstream'> {
  readonly live: Live;
  /** The rewritten query, without the terms after `changes`. */
  readonly query: StartQuery;
}

/** A feed that is folded inside RethinkDB. */
export class RelayFeed implements Feed {
  readonly #live: Live;
  readonly #upstream: Upstream;
  readonly #delivery: Delivery;

  constructor(settings: RelayFeedSettings) {
    this.#live = settings.live;
    this.#upstream = new Upstream(settings.io, settings.query);
    this.#delivery = new Delivery({ ...settings, stopUpstream: () => this.#upstream.stop() });
  }

  response(body: Buffer): void {
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
      const document = readDocument(datum, (group, row) => keyOf(this.#live.watched, group, row));
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

  close(): void {
    this.#delivery.close();
  }

  abort(error: ReqlError): void {
    this.#delivery.fail(error);
  }
}

/** What a document is about. */
function keyOf(watched: Live['watched'], group: Datum | undefined, row: Datum): string | undefined {
  switch (watched.kind) {
    case 'aggregate':
    case 'expression':
      return SCALAR_KEY;
    case 'grouped':
      return datumKey(group ?? null);
    case 'distinct':
      return datumKey(row);
    case 'ungroup':
      return isObject(row) ? groupKey(row) : undefined;
    default:
      return undefined;
  }
}

function groupKey(row: DatumObject): string {
  return datumKey(getField(row, 'group') ?? null);
}
