// What to do for whoever watches what is refused: it takes a livefold to watch it, or a query that is written in another way.

import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { explain } from '../../rewrite/explain.ts';
import type { Client } from '../client/client.ts';
import { ServerError } from '../client/server-error.ts';

/** A feed with an option that no RethinkDB knows, of a value that no livefold takes: neither opens anything. */
const QUESTION = '[1,[152,[[43,[[15,["t"]]]]],{"heartbeat":0}]]';
const UNKNOWN_OPTION = /^Unrecognized optional argument `heartbeat`/;

/** What RethinkDB says of a stream that it cannot watch. */
const NOT_WATCHED = /^Cannot call `changes` on an eager stream/;

/** What to do about a query that has failed; `undefined` where nothing is known. */
export async function hintOn(
  failure: ServerError,
  client: Client,
  query: string,
  address: Address,
): Promise<string | undefined> {
  const explanation = explain(query);
  if (explanation.kind === 'untouched') {
    return NOT_WATCHED.test(failure.message) ? explanation.advice : undefined;
  }
  if (explanation.kind !== 'rewritten' && explanation.kind !== 'asks') return undefined;
  return await throughLivefold(client, address);
}

async function throughLivefold(client: Client, address: Address): Promise<string | undefined> {
  const isRethinkdb = await client.run(QUESTION).then(
    () => false,
    (error: unknown) => error instanceof ServerError && UNKNOWN_OPTION.test(error.message),
  );
  if (!isRethinkdb) return undefined;
  const at = printAddress(address);
  return `${at} is a RethinkDB, which does not watch this by itself. Start \`livefold --upstream ${at}\`, and watch with \`--connect 127.0.0.1:28016\`.`;
}
