// The demo: orders come, change and go in an in-memory database, and four live aggregates over them are printed as their
// documents come, through the proxy. What the proxy does with them is on its page.

import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { makeR, type Reql, termOfReql } from '../../rewrite/reql/build/r.ts';
import { serializeQuery } from '../../rewrite/reql/term/serialize.ts';
import { Client } from '../client/client.ts';

/** How often something is written. */
const WRITE_MS = 1000;
const FIRST_ORDERS = 12;
const USUAL_PORT = 28016;

/** The stage on which the demo plays. */
export interface DemoStage {
  readonly proxy: Address;
  /** The database itself, for setting up. */
  readonly database: Address;
  /** Where the proxy's page is, if anywhere. */
  readonly admin: Address | undefined;
  print(line: string): void;
}

/** Plays until the function it resolves to is called. Rejects where the database cannot be set up. */
export async function playDemo({ proxy, database, admin, print }: DemoStage): Promise<() => void> {
  const r = makeR();
  const orders = r.db('shop').table('orders');
  const watched: readonly (readonly [name: string, query: Reql])[] = [
    ['count', orders.count().changes({ includeInitial: true })],
    ['sum(total)', orders.sum('total').changes({ includeInitial: true })],
    ['avg(total)', orders.avg('total').changes({ includeInitial: true })],
    ['by customer', orders.group('customer').sum('total').changes({ includeInitial: true })],
  ];

  const founder = await Client.connect(database);
  await founder.run(queryOf(r.dbCreate('shop')));
  await founder.run(queryOf(r.db('shop').tableCreate('orders')));
  const clerk = new Clerk();
  await founder.run(queryOf(orders.insert(Array.from({ length: FIRST_ORDERS }, () => clerk.order()))));
  founder.close();

  const { host, port } = proxy;
  if (admin !== undefined) print(`See what goes on at http://${printAddress(admin)}/`);
  print(`Connect with any RethinkDB driver to ${printAddress(proxy)}, user admin, no password, and try for example`);
  print(`  r.connect({ host: '${host}', port: ${port} }).then((conn) =>`);
  print("    r.db('shop').table('orders').sum('total').changes({ includeInitial: true }).run(conn))");
  print(`or   npx livefold watch "r.db('shop').table('orders').group('customer').sum('total')"${elsewhere(proxy)}`);
  print(`An order comes, changes or goes every ${WRITE_MS / 1000} s. Ctrl-C ends the demo.`);

  const [reader, writer] = [await Client.connect(proxy), await Client.connect(proxy)];
  const stop = (): void => {
    clearInterval(timer);
    reader.close();
    writer.close();
  };
  let stopped = false;
  for (const [name, query] of watched) {
    reader
      .watch(queryOf(query), (document) => print(`${name.padEnd(11)}  ${JSON.stringify(document)}`))
      .catch((error: Error) => {
        if (!stopped) print(`${name.padEnd(11)}  ${error.message}`);
      });
  }
  const timer = setInterval(() => {
    const { what, query } = clerk.next(orders);
    print(what);
    writer.run(queryOf(query)).catch((error: Error) => {
      if (!stopped) print(`             ${error.message}`);
    });
  }, WRITE_MS);
  return () => {
    stopped = true;
    stop();
  };
}

/** What \`watch\` is told where the proxy is not where it looks by itself. */
function elsewhere(proxy: Address): string {
  return proxy.port === USUAL_PORT ? '' : ` --connect ${printAddress(proxy)}`;
}

function queryOf(piece: Reql): string {
  return serializeQuery({ term: termOfReql(piece), globalOptargs: [] });
}

interface Order {
  readonly id: number;
  readonly customer: string;
  readonly total: number;
}

const CUSTOMERS = ['Ada', 'Barbara', 'Edsger', 'Grace', 'Leslie', 'Niklaus'];

/** Takes orders, corrects them and cancels them. */
class Clerk {
  #last = 0;
  #open: number[] = [];

  order(): Order {
    this.#last++;
    this.#open.push(this.#last);
    return { id: this.#last, customer: pick(CUSTOMERS) ?? '', total: price() };
  }

  /** The next write, in words and as a query. */
  next(orders: Reql): { what: string; query: Reql } {
    const dice = Math.random();
    const id = pick(this.#open);
    if (id === undefined || dice < 0.5) {
      const order = this.order();
      return { what: `+ order ${order.id} of ${order.customer}, ${order.total}`, query: orders.insert(order) };
    }
    if (dice < 0.8) {
      const total = price();
      return { what: `~ order ${id} is now ${total}`, query: orders.get(id).update({ total }) };
    }
    this.#open = this.#open.filter((open) => open !== id);
    return { what: `- order ${id} is cancelled`, query: orders.get(id).delete() };
  }
}

function pick<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}

/** Quarters, which doubles hold exactly. */
function price(): number {
  return Math.ceil(Math.random() * 400) / 4;
}
