// The listener of an embedded server, and everything the server holds: nothing outlives `close`.

import { createServer, type Server, type Socket } from 'node:net';
import type { TermTable } from '../../rewrite/reql/eval/index.ts';
import { Users } from './auth/users.ts';
import { Catalog } from './catalog/catalog.ts';
import { Jobs } from './catalog/jobs.ts';
import { SystemTables } from './catalog/system-tables.ts';
import { Connection } from './net/connection.ts';
import { RowJson } from './net/row-json.ts';
import { AnswerBudget } from './terms/answer-budget.ts';
import { serverTerms } from './terms/index.ts';

export interface EmbeddedOptions {
  /** The address to listen on; 127.0.0.1 if absent. */
  readonly host?: string;
  /** The port to listen on; 0, or nothing, for any free one. */
  readonly port?: number;
  /** The password of the user `admin`; none if absent. */
  readonly password?: string;
  /** The name that the server shows for itself. */
  readonly serverName?: string;
}

/** The address at which a server can be reached. */
export interface EmbeddedAddress {
  readonly host: string;
  readonly port: number;
}

export class EmbeddedServer {
  readonly #catalog: Catalog;
  readonly #users: Users;
  readonly #terms: TermTable;
  readonly #jobs = new Jobs();
  readonly #budget = new AnswerBudget();
  readonly #system: SystemTables;
  readonly #json = new RowJson();
  readonly #connections = new Set<Connection>();
  readonly #server: Server;

  constructor({ password = '', serverName = 'embedded' }: EmbeddedOptions) {
    this.#catalog = new Catalog(serverName);
    this.#users = new Users(password);
    const system = new SystemTables(this.#catalog, this.#users, this.#jobs);
    this.#system = system;
    this.#terms = serverTerms({ catalog: this.#catalog, users: this.#users, system });
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  get address(): EmbeddedAddress {
    return this.#catalog.address;
  }

  /** Starts listening; rejects with Node's own error where that is not possible. */
  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        const bound = this.#server.address();
        this.#catalog.address = { host, port: typeof bound === 'object' && bound !== null ? bound.port : port };
        resolve();
      });
    });
  }

  /** Ends every connection at once and frees the port. May be called again. */
  close(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket, {
      catalog: this.#catalog,
      users: this.#users,
      terms: this.#terms,
      json: this.#json,
      jobs: this.#jobs,
      budget: this.#budget,
      settle: () => this.#system.refresh(),
    });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}
