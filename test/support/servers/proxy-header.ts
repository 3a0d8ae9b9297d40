// Headers of the PROXY protocol, written by the letter of HAProxy's description, for tests of who reads them.

/** Where a client is. */
export interface Origin {
  readonly host: string;
  readonly port: number;
}

/** The parts of a binary header; what is not given is that of a client over TCP. */
export interface BinaryHeader {
  readonly version?: number;
  readonly command?: number;
  readonly family: number;
  readonly transport?: number;
  readonly origin?: Origin;
  /** What follows the addresses. */
  readonly more?: Buffer;
}

/** Writes a header of version 2. */
export function binaryHeader(header: BinaryHeader): Buffer {
  const { version = 2, command = 1, family, transport = 1, origin, more = Buffer.alloc(0) } = header;
  const addresses = origin === undefined ? Buffer.alloc(0) : addressesOf(origin);
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head.writeUInt8(version * 16 + command, 12);
  head.writeUInt8(family * 16 + transport, 13);
  head.writeUInt16BE(addresses.length + more.length, 14);
  return Buffer.concat([head, addresses, more]);
}

function addressesOf({ host, port }: Origin): Buffer {
  const address = addressOf(host);
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(port, 0);
  ports.writeUInt16BE(28015, 2);
  return Buffer.concat([address, Buffer.alloc(address.length, 7), ports]);
}

function addressOf(host: string): Buffer {
  if (!host.includes(':')) return Buffer.from(host.split('.').map(Number));
  const [before = '', after = ''] = host.split('::');
  const groups = (text: string): readonly number[] =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(before), groups(after)];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...first, ...Array(8 - first.length - last.length).fill(0), ...last].entries()) {
    bytes.writeUInt16BE(group, 2 * index);
  }
  return bytes;
}
