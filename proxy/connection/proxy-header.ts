// The header of the PROXY protocol (doc/proxy-protocol.txt of HAProxy, versions 1 and 2), with which a load balancer begins each
// connection that it makes for a client: it says where the client is. It is read from bytes that are cut anywhere.

import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** The address of a client. */
export interface Origin {
  readonly host: string;
  readonly port: number;
}

/** The state of the reading. */
export type HeaderVerdict =
  | { readonly kind: 'more' }
  | { readonly kind: 'wrong'; readonly problem: string }
  /**
   * The header is whole: so many `bytes`, and `rest` came after it. `origin` is `undefined` where the connection is the balancer's
   * own, or where it does not say whose it is.
   */
  | { readonly kind: 'whole'; readonly origin: Origin | undefined; readonly bytes: number; readonly rest: Buffer };

const MORE: HeaderVerdict = { kind: 'more' };

// Version 1 is a line of text.
const LINE_START = Buffer.from('PROXY ');
const LINE_END = Buffer.from('\r\n');
const LONGEST_LINE = 107;

// Version 2: the signature, a byte for version and command, one for family and transport, and the length of the rest in two.
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const HEAD_BYTES = 16;
const VERSION_2 = 2;
const COMMANDS = { local: 0, proxy: 1 } as const;
const TRANSPORTS = { any: 0, stream: 1, datagram: 2 } as const;
const LAST_FAMILY = 3;

/** A family of addresses. After the head stand the two addresses, the client's first, and then the two ports. */
interface Family {
  readonly addressBytes: number;
  print(address: Buffer): string;
}

/** The families that are read. The others are valid, and do not say where a client of TCP is. */
const FAMILIES: ReadonlyMap<number, Family> = new Map([
  [1, { addressBytes: 4, print: (address: Buffer) => address.join('.') }],
  [
    2,
    { addressBytes: 16, print: (address: Buffer) => canonical(address.toString('hex').replace(/(.{4})(?=.)/g, '$1:')) },
  ],
]);

/** The most that is read of what follows the head: two addresses of the longer family, and two ports. */
const MOST_READ = 2 * 16 + 2 * 2;

/** A header of which all is known but where it ends. */
interface Skipping {
  readonly origin: Origin | undefined;
  readonly bytes: number;
  /** Bytes that have not come yet. */
  left: number;
}

/** The header of a connection that is made for nobody else: to look whether somebody serves, say. */
export const OWN_HEADER: Buffer = Buffer.concat([SIGNATURE, Buffer.from([VERSION_2 << 4, 0, 0, 0])]);

/** Reads one header. */
export class ProxyHeader {
  /** What came and was not understood yet: never much. */
  #kept: Buffer = Buffer.alloc(0);
  #skipping: Skipping | undefined;

  /** Takes the next bytes. Callers owe none after the header is whole, or wrong. */
  push(chunk: Buffer): HeaderVerdict {
    if (this.#skipping !== undefined) return this.#skip(chunk, this.#skipping);
    this.#kept = Buffer.concat([this.#kept, chunk]);
    if (mayBegin(this.#kept, SIGNATURE)) return this.#readBinary(this.#kept);
    if (mayBegin(this.#kept, LINE_START)) return readLine(this.#kept);
    return wrong('there is none');
  }

  #readBinary(bytes: Buffer): HeaderVerdict {
    if (bytes.length < HEAD_BYTES) return MORE;
    const [version, command] = nibbles(bytes.readUInt8(12));
    const [family, transport] = nibbles(bytes.readUInt8(13));
    const length = bytes.readUInt16BE(14);
    if (version !== VERSION_2) return wrong(`its version is ${version}`);
    if (command !== COMMANDS.local && command !== COMMANDS.proxy) return wrong(`its command is ${command}`);
    const isOwn = command === COMMANDS.local;
    if (!isOwn && family > LAST_FAMILY) return wrong(`its family of addresses is ${family}`);
    if (!isOwn && transport > TRANSPORTS.datagram) return wrong(`its transport is ${transport}`);
    const read = isOwn || transport !== TRANSPORTS.stream ? undefined : FAMILIES.get(family);
    if (read !== undefined && length < 2 * read.addressBytes + 2 * 2) return wrong('its addresses are too short');
    if (bytes.length < HEAD_BYTES + Math.min(length, MOST_READ)) return MORE;
    const origin = read === undefined ? undefined : originIn(bytes.subarray(HEAD_BYTES), read);
    const skipping: Skipping = { origin, bytes: HEAD_BYTES + length, left: HEAD_BYTES + length };
    this.#skipping = skipping;
    this.#kept = Buffer.alloc(0);
    return this.#skip(bytes, skipping);
  }

  #skip(chunk: Buffer, skipping: Skipping): HeaderVerdict {
    const { origin, bytes, left } = skipping;
    skipping.left -= chunk.length;
    return skipping.left > 0 ? MORE : { kind: 'whole', origin, bytes, rest: chunk.subarray(left) };
  }
}

function wrong(problem: string): HeaderVerdict {
  return { kind: 'wrong', problem };
}

/** Whether bytes are, as far as they go, how something begins. */
function mayBegin(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}

function nibbles(byte: number): readonly [number, number] {
  return [byte >> 4, byte & 15];
}

function originIn(addresses: Buffer, { addressBytes, print }: Family): Origin {
  return { host: print(addresses.subarray(0, addressBytes)), port: addresses.readUInt16BE(2 * addressBytes) };
}

function readLine(bytes: Buffer): HeaderVerdict {
  const length = bytes.indexOf(LINE_END);
  if (length < 0) return bytes.length < LONGEST_LINE ? MORE : wrong('its line does not end');
  const whole = length + LINE_END.length;
  if (whole > LONGEST_LINE) return wrong('its line does not end');
  const line = bytes.toString('latin1', LINE_START.length, length);
  const rest = bytes.subarray(whole);
  if (/^UNKNOWN(?: |$)/.test(line)) return { kind: 'whole', origin: undefined, bytes: whole, rest };
  const [, family, from = '', to = '', port = '', ownPort = ''] =
    /^TCP([46]) ([^ ]+) ([^ ]+) (0|[1-9]\d{0,4}) (0|[1-9]\d{0,4})$/.exec(line) ?? [];
  const isAddress = family === '4' ? isIPv4 : isPlainIPv6;
  const isRight = isAddress(from) && isAddress(to) && isPort(port) && isPort(ownPort);
  if (family === undefined || !isRight) return wrong('its line is not as it has to be');
  return {
    kind: 'whole',
    origin: { host: family === '4' ? from : canonical(from), port: Number(port) },
    bytes: whole,
    rest,
  };
}

function isPort(text: string): boolean {
  return Number(text) <= 0xffff;
}

/** An address of IPv6 without a zone, which means something on one machine only. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

/** Writes an address of IPv6 as the system writes it. */
function canonical(address: string): string {
  return new SocketAddress({ address, family: 'ipv6' }).address;
}
