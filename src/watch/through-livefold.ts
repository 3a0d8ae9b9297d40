// The hint for whoever watches at a RethinkDB what it takes a livefold to watch.

import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { explain } from '../../rewrite/explain.ts';
import type { Client } from '../client/client.ts';
import { ServerError } from '../client/server-error.ts';

/** A feed with an option that no RethinkDB knows, of a value that no livefold takes: neither opens anything. */
const QUESTION = '[1,[152,[[43,[[15,["t"]]]]],{"heartbeat":0}]]';
const UNKNOWN_OPTION = /^Unrecognized optional argument `heartbeat`/;

/** What to do where a query has failed since there is no livefold; `undefined` where that is not the cause. */
export async function throughLivefold(client: Client, query: string, address: Address): Promise<string | undefined> {
  const { kind } = explain(query);
  if (kind !== 'rewritten' && kind !== 'asks') return undefined;
  const isRethinkdb = await client.run(QUESTION).then(
    () => false,
    (error: unknown) => error instanceof ServerError && UNKNOWN_OPTION.test(error.message),
  );
  if (!isRethinkdb) return undefined;
  const at = printAddress(address);
  return `${at} is a RethinkDB, which does not watch this by itself. Start \`livefold --upstream ${at}\`, and watch with \`--connect 127.0.0.1:28016\`.`;
}
