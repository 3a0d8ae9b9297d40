// A client that says exactly what it is told: queries as JSON text, answers as JSON text. Shakes hands by V0_4 without a key.

import type { Address } from '../../../proxy/upstream/address.ts';
import { frame, word } from '../checks/bytes.ts';
import { connectPeer } from './peer.ts';
import { V0_4 } from './scene.ts';

const JSON_PROTOCOL = word(0x7e6970c7);

/** A connection for raw queries, one at a time. */
export interface RawClient {
  /** Sends one query and gives the body of the answer. */
  ask(query: string): Promise<string>;
  /** Asks for more of the query that was sent last. */
  more(): Promise<string>;
  close(): void;
}

/** Connects as admin without a password. */
export async function connectRaw(address: Address): Promise<RawClient> {
  const peer = await connectPeer(address);
  peer.write(Buffer.concat([V0_4, word(0), JSON_PROTOCOL]));
  const greeting = await peer.text();
  if (greeting !== 'SUCCESS') throw new Error(greeting);
  let token = 0;
  const send = async (query: string): Promise<string> => {
    peer.write(frame(token, query));
    return (await peer.frame()).body;
  };
  return {
    ask(query) {
      token++;
      return send(query);
    },
    more: () => send('[2]'),
    close: () => peer.socket.destroy(),
  };
}
