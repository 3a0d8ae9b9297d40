// The answers to a user with few rights, term by term: the queries, the rights, and how an answer is written down.

import { createRequire } from 'node:module';
import type { Address } from '../../proxy/upstream/address.ts';

const r = createRequire(import.meta.url)('rethinkdb');

/** Rights that a user is granted on the database `rights`, which holds the tables `t` (with an index `n`) and `u`. */
export const GRANTS: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  'read on the table': ["r.db('rights').table('t').grant('guest', {read: true})"],
  'read on the database': ["r.db('rights').grant('guest', {read: true})"],
  'read and write on the database': ["r.db('rights').grant('guest', {read: true, write: true})"],
  'write on the table': ["r.db('rights').table('t').grant('guest', {write: true})"],
  'config on the table': ["r.db('rights').table('t').grant('guest', {config: true})"],
  'config on the database': ["r.db('rights').grant('guest', {config: true})"],
  'read and config on the database': ["r.db('rights').grant('guest', {read: true, config: true})"],
  'read on everything': ["r.grant('guest', {read: true})"],
  'config on everything': ["r.grant('guest', {config: true})"],
  'write on everything': ["r.grant('guest', {write: true})"],
  'all but read on the table': [
    "r.grant('guest', {read: true, write: true, config: true})",
    "r.db('rights').table('t').grant('guest', {read: false})",
  ],
  'read on the system': ["r.db('rethinkdb').grant('guest', {read: true})"],
  'read and write on the system': ["r.db('rethinkdb').grant('guest', {read: true, write: true})"],
  'read on the system and config on the database': [
    "r.db('rethinkdb').grant('guest', {read: true})",
    "r.db('rights').grant('guest', {config: true})",
  ],
  'read and write on the system, config on the database': [
    "r.db('rethinkdb').grant('guest', {read: true, write: true})",
    "r.db('rights').grant('guest', {config: true})",
  ],
  'read on the jobs': ["r.db('rethinkdb').table('jobs').grant('guest', {read: true})"],
  'connect on everything': ["r.grant('guest', {connect: true})"],
  'all but config on the database': [
    "r.grant('guest', {read: true, write: true, config: true})",
    "r.db('rights').grant('guest', {config: false})",
  ],
};

/** Each is run with each of the grants. None changes anything where it is allowed, or it is undone by the next set-up. */
export const QUERIES: readonly string[] = [
  "t.info()('name')",
  "db.info()('name')",
  "t.config()('name')",
  "db.config()('name')",
  "t.status()('name')",
  't.wait()',
  'db.wait()',
  't.rebalance()',
  'db.rebalance()',
  't.reconfigure({shards: 1, replicas: 1, dryRun: true})',
  'db.reconfigure({shards: 1, replicas: 1, dryRun: true})',
  't.reconfigure({shards: 1, replicas: 1})',
  "t.reconfigure({emergencyRepair: 'unsafe_rollback'})",
  't.sync()',
  'db.tableList()',
  'r.dbList()',
  "t.indexCreate('m')",
  "t.indexDrop('n')",
  't.indexList()',
  't.indexStatus()',
  't.indexWait()',
  "t.indexRename('n', 'n2')",
  't.setWriteHook(null)',
  't.getWriteHook()',
  "db.tableCreate('v')",
  "db.tableDrop('u')",
  "r.dbCreate('rights_more')",
  "r.dbDrop('rights_none')",
  "t.grant('guest', {read: true})",
  "r.grant('guest', {read: true})",
  't.get(1)',
  "t.get(1)('n')",
  't.getAll(1)',
  "t.between(0, 5, {index: 'n'})",
  "t.orderBy({index: 'n'})",
  't.count()',
  't.isEmpty()',
  't.insert({id: 5})',
  "t.insert({id: 1}, {conflict: 'replace', returnChanges: true})",
  't.get(1).update({n: 2})',
  't.get(1).replace({id: 1, n: 2})',
  't.get(7).delete()',
  't.filter({n: 99}).delete()',
  't.changes().limit(0)',
  't.get(1).changes().limit(0)',
  "t.orderBy({index: 'n'}).limit(1).changes().limit(0)",
  "t.union(db.table('u'))",
  "t.eqJoin('n', db.table('u'))",
  "db.table('u').map((row) => t.get(row('id')))",
  "t.config().update({durability: 'hard'})",
  "db.config().update({name: 'rights'})",
  "r.db('rethinkdb').table('users').count()",
  "r.db('rethinkdb').table('jobs').count()",
  "r.db('rethinkdb').table('table_config').count()",
  "r.db('rethinkdb').table('table_status').isEmpty()",
  "r.db('rethinkdb').table('users').insert({id: 'other', password: false})",
  "r.db('rethinkdb').table('users').info()('name')",
  "r.db('rethinkdb').table('users').config()",
  "r.db('rethinkdb').info()",
  "r.db('rethinkdb').tableList().count()",
  "db.table('none').info()",
  "r.db('none').table('t')",
  'r.uuid().typeOf()',
  'r.now().typeOf()',
];

const evaluate = (reql: string): { run(conn: unknown): Promise<unknown> } =>
  new Function('r', 'db', 't', `return ${reql}`)(r, r.db('rights'), r.db('rights').table('t'));

async function ignore(running: Promise<unknown>): Promise<void> {
  await running.catch(() => undefined);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  const { msg } = error as { readonly msg?: unknown };
  return `${error.name}: ${typeof msg === 'string' ? msg : error.message}`;
}

/** Makes the database, the user and its rights anew, and runs every query as that user. */
export async function answers(address: Address, grants: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const admin = await r.connect(address);
  const seen: Record<string, string> = {};
  try {
    for (const name of ['rights', 'rights_more', 'rights_none']) await ignore(r.dbDrop(name).run(admin));
    await r.db('rethinkdb').table('users').filter(r.row('id').ne('admin')).delete().run(admin);
    await r.dbCreate('rights').run(admin);
    await r.dbCreate('rights_none').run(admin);
    await r.db('rethinkdb').table('users').insert({ id: 'guest', password: 'guest' }).run(admin);
    for (const name of ['t', 'u']) await r.db('rights').tableCreate(name).run(admin);
    const t = r.db('rights').table('t');
    const prepare = async (): Promise<void> => {
      await ignore(t.indexDrop('m').run(admin));
      await ignore(t.indexRename('n2', 'n').run(admin));
      await ignore(t.indexCreate('n').run(admin));
      await t.indexWait().run(admin);
      await t.insert({ id: 1, n: 1 }, { conflict: 'replace' }).run(admin);
      await ignore(r.db('rights').tableCreate('u').run(admin));
      await ignore(r.db('rights').tableDrop('v').run(admin));
      await ignore(r.dbDrop('rights_more').run(admin));
      await ignore(r.dbCreate('rights_none').run(admin));
    };
    for (const grant of grants) await evaluate(grant).run(admin);
    await prepare();
    const guest = await r.connect({ ...address, user: 'guest', password: 'guest' });
    try {
      for (const reql of QUERIES) {
        const changes = /indexCreate|indexDrop|indexRename|tableCreate|tableDrop|dbCreate|dbDrop|grant/.test(reql);
        seen[reql] = await evaluate(reql)
          .run(guest)
          .then(() => 'allowed', textOf);
        if (changes && seen[reql] === 'allowed') await prepare();
      }
    } finally {
      await guest.close();
    }
  } finally {
    for (const name of ['rights', 'rights_more', 'rights_none']) await ignore(r.dbDrop(name).run(admin));
    await r.db('rethinkdb').table('users').filter(r.row('id').ne('admin')).delete().run(admin);
    await admin.close();
  }
  return seen;
}
