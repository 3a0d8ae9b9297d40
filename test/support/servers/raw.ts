// A client that says exactly what it is told: queries as JSON text, answers as JSON text. Shakes hands by an old protocol without
// a key.

import type { Address } from '../../../proxy/upstream/address.ts';
import { frame, word } from '../checks/bytes.ts';
import { connectPeer, type Peer } from './peer.ts';
import { V0_3, V0_4 } from './scene.ts';

const JSON_PROTOCOL = word(0x7e6970c7);

/** What asks for more. */
export const MORE = '[2]';

/** A connection for raw queries, one at a time. */
export interface RawClient {
  /** Sends one query and gives the body of the answer. */
  ask(query: string): Promise<string>;
  /** Asks for more of the query that was sent last. */
  more(): Promise<string>;
  /** Ends the query that was sent last. */
  stop(): Promise<string>;
  /** Sends one query, or asks for more, and says that nothing else comes: the client still reads. */
  last(query: string): void;
  /** The bytes, for who wants to see how the connection ends. */
  readonly peer: Peer;
  close(): void;
}

/** Connects as admin without a password. `patience`: how long an answer may take, in milliseconds. */
export async function connectRaw(
  address: Address,
  protocol: 'V0_3' | 'V0_4' = 'V0_4',
  patience?: number,
): Promise<RawClient> {
  const peer = await connectPeer(address, patience);
  peer.write(Buffer.concat([protocol === 'V0_3' ? V0_3 : V0_4, word(0), JSON_PROTOCOL]));
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
    more: () => send(MORE),
    stop: () => send('[3]'),
    last(query) {
      if (query !== MORE) token++;
      peer.socket.end(frame(token, query));
    },
    peer,
    close: () => peer.socket.destroy(),
  };
}
