// Clients that open a feed over a row of 0.4 MB and never ask again, while the row changes: what waits for them is bounded.

import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { type DatabaseKind, MemoryWatch, openDatabase, openProxy, residentMb, stopProxy } from './stage.ts';
import type { Verdicts } from './verdict.ts';

const READERS = 20;
const ROW_BYTES = 400_000;
/** What the proxy may grow by: a copy of the row for each reader, twice, and garbage. */
const MOST_MB = 300;

/** Runs the drill for so long. */
export async function slowReader(program: Program, kind: DatabaseKind, ms: number, verdicts: Verdicts): Promise<void> {
  verdicts.begin(`slow reader, ${kind} database: ${READERS} feeds of a row of ${ROW_BYTES} bytes that nobody reads on`);
  const database = await openDatabase(kind, program);
  const proxy = await openProxy(program, database, ['--workers', '1', '--no-share']);
  const owner = await Client.connect(database.address);
  const put = (n: number): Promise<unknown> =>
    owner.run(
      queryOfText(`r.table('t').insert({id: 9, n: ${n}, text: '${'x'.repeat(ROW_BYTES)}'}, {conflict: 'replace'})`),
    );
  await put(0);
  const readers = await Promise.all(Array.from({ length: READERS }, () => Client.connect(proxy.address)));
  await Promise.all(readers.map((reader) => reader.run(queryOfText("r.table('t').max('n').changes()"))));
  const before = residentMb(proxy.child.pid ?? 0);
  const memory = new MemoryWatch(proxy);
  const end = performance.now() + ms;
  let writes = 0;
  while (performance.now() < end) await put(++writes);
  const grown = memory.stop() - before;
  verdicts.say(
    grown <= MOST_MB,
    `${writes} writes: ${before.toFixed(0)} MB resident, and ${grown.toFixed(0)} MB more at most, ${MOST_MB} MB allowed`,
  );
  const other = await Client.connect(proxy.address);
  verdicts.say((await other.run('[1,[24,[1,1]]]'))[0] === 2, 'another client is served');
  for (const client of [...readers, other, owner]) client.close();
  await stopProxy(proxy, verdicts);
  await database.stop();
}
