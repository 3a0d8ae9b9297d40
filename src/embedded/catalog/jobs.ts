// The queries that are being answered right now, feeds that wait for changes among them, as the table `jobs` shows them
// (jobs/backend.cc). Callers owe: `end` for each `begin`.

import { randomUUID } from 'node:crypto';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { printTerm } from '../../../rewrite/reql/print/print.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { Catalog } from './catalog.ts';
import type { IdentifierFormat } from './config-documents.ts';

/** The other end of a connection. */
export interface Client {
  readonly address: string;
  readonly port: number;
  readonly user: string;
}

/** A query from its START on. */
export class Job {
  readonly #query: StartQuery;
  readonly #client: Client;
  readonly #since = performance.now();
  #id: string | undefined;

  constructor(query: StartQuery, client: Client) {
    this.#query = query;
    this.#client = client;
  }

  row(server: string): DatumObject {
    // Most jobs are never looked at.
    this.#id ??= randomUUID();
    const { address, port, user } = this.#client;
    return {
      duration_sec: (performance.now() - this.#since) / 1000,
      id: ['query', this.#id],
      info: { client_address: address, client_port: port, query: printTerm(this.#query.term), user },
      servers: [server],
      type: 'query',
    };
  }
}

export class Jobs {
  readonly #running = new Set<Job>();

  begin(job: Job): void {
    this.#running.add(job);
  }

  end(job: Job): void {
    this.#running.delete(job);
  }

  rows(catalog: Catalog, format: IdentifierFormat): readonly DatumObject[] {
    const server = format === 'name' ? catalog.serverName : catalog.serverId;
    return Array.from(this.#running, (job) => job.row(server));
  }
}
