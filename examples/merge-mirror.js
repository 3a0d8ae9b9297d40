// A copy of live rows that is kept in step by merges, goes on where it stopped when it is started again, and steps back and forth
// through its last changes: `node --import tsx examples/merge-mirror.js`.
//
// An in-memory server stands in for RethinkDB, as in proxy.ts. What a copy knows is JSON: a page keeps it in its storage, a script in a
// file. A revision can be taken up as long as the proxy keeps the feed (`--linger-seconds`); where it is not kept any more the copy
// begins anew.

import { createEmbeddedServer, createOpenFeed, DEFAULT_LIMITS, silent, startProxy } from 'livefold';
import { applyMerge, composeMerges } from 'livefold/merge';
import r from 'rethinkdb';

/** The rows, what changed last, and the revision up to which that is so. */
class Mirror {
  constructor({ rows = [], steps = [], rev = undefined } = {}) {
    this.rows = new Map(rows);
    this.steps = steps;
    this.rev = rev;
  }

  /** Opens the feed where the copy stopped, or from the beginning. */
  async open(connection, query) {
    const options = { format: 'merge', includeRevs: true };
    try {
      return await query
        .changes({ ...options, ...(this.rev === undefined ? { includeInitial: true } : { since: this.rev }) })
        .run(connection);
    } catch (error) {
      if (this.rev === undefined || !/since/.test(error.msg)) throw error;
      this.rows.clear();
      this.steps = [];
      this.rev = undefined;
      return this.open(connection, query);
    }
  }

  /** Takes a document in. */
  take({ group, body, reverse, rev }) {
    this.put(group, body);
    if (reverse !== undefined) this.steps.push({ group, body, reverse });
    this.rev = rev;
  }

  /** Goes so many changes back, and forth again. */
  back(count) {
    for (const { group, reverse } of this.steps.slice(-count).reverse()) this.put(group, reverse);
  }

  forth(count) {
    for (const { group, body } of this.steps.slice(-count)) this.put(group, body);
  }

  /** What the last changes of a group come to. */
  net(group, count) {
    const merges = this.steps.slice(-count).filter((step) => step.group === group);
    return merges.map(({ body }) => body).reduce(composeMerges);
  }

  put(group, merge) {
    const row = applyMerge(this.rows.get(group), merge);
    if (row === undefined) this.rows.delete(group);
    else this.rows.set(group, row);
  }

  toJSON() {
    return { rows: [...this.rows], steps: this.steps, rev: this.rev };
  }
}

const database = await createEmbeddedServer();
const proxy = await startProxy({
  listen: { host: '127.0.0.1', port: 0 },
  upstreams: [database.address],
  openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now, lingerMs: 60_000 }),
  log: silent,
});
const connection = await r.connect({ host: proxy.address.host, port: proxy.address.port });
await r.tableCreate('orders').run(connection);
const orders = r.table('orders');
await orders.insert([{ id: 1, city: 'Bonn', total: 5, open: true }]).run(connection);
const dearest = orders.group('city').max('total');

const first = new Mirror();
const feed = await first.open(connection, dearest);
first.take(await feed.next());
console.log(JSON.stringify([...first.rows])); // [["Bonn",{"city":"Bonn","id":1,"open":true,"total":5}]]

await orders.get(1).update({ total: 6 }).run(connection);
first.take(await feed.next());
await orders.get(1).update({ total: 8, open: false }).run(connection);
first.take(await feed.next());
console.log(JSON.stringify(first.steps.at(-1))); // {"group":"Bonn","body":{"open":false,"total":8},"reverse":{"open":true,"total":6}}

// The program is stopped, and what it knows is kept as JSON. Meanwhile there are two more changes.
const kept = JSON.stringify(first);
await feed.close();
await orders.get(1).replace({ id: 1, city: 'Bonn', total: 9 }).run(connection);
await orders.insert({ id: 2, city: 'Kiel', total: 1 }).run(connection);

const second = new Mirror(JSON.parse(kept));
const again = await second.open(connection, dearest);
for (let count = 0; count < 2; count++) second.take(await again.next());
console.log(JSON.stringify([...second.rows])); // [["Bonn",{"city":"Bonn","id":1,"total":9}],["Kiel",{"city":"Kiel","id":2,"total":1}]]
console.log(JSON.stringify(second.net('Bonn', 4))); // {"total":9,"open":{"_delete":true}}

second.back(4);
console.log(JSON.stringify([...second.rows])); // [["Bonn",{"city":"Bonn","id":1,"total":5,"open":true}]]
second.forth(4);
console.log(JSON.stringify(second.rows.get('Bonn'))); // {"city":"Bonn","id":1,"total":9}

await again.close();
await connection.close();
await proxy.destroy();
await database.close();
