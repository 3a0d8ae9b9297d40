// The header of the PROXY protocol as bytes: whole ones, cut at each place, and those that are wrong.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HeaderVerdict, ProxyHeader } from '../../proxy/connection/proxy-header.ts';
import { binaryHeader, type Origin } from '../support/servers/proxy-header.ts';

const AFTER = Buffer.from([0xc3, 0xbd, 0xc2, 0x34, 0x0d, 0x0a, 0x00, 0x50]);
const line = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Reads pieces until there is a verdict; what is left over is its rest. */
function read(pieces: readonly Buffer[]): HeaderVerdict {
  const header = new ProxyHeader();
  for (const [index, piece] of pieces.entries()) {
    const verdict = header.push(piece);
    if (verdict.kind === 'whole') {
      return { ...verdict, rest: Buffer.concat([verdict.rest, ...pieces.slice(index + 1)]) };
    }
    if (verdict.kind === 'wrong') return verdict;
  }
  return { kind: 'more' };
}

interface Whole {
  readonly name: string;
  readonly bytes: Buffer;
  readonly origin: Origin | undefined;
}

const v4 = { host: '203.0.113.7', port: 56324 };
const v6 = { host: '2001:db8::1:0:0:a', port: 1 };

const wholes: readonly Whole[] = [
  { name: 'a line with IPv4', bytes: line('PROXY TCP4 203.0.113.7 192.0.2.1 56324 28015\r\n'), origin: v4 },
  { name: 'a line with IPv6', bytes: line('PROXY TCP6 2001:DB8:0:0:1:0:0:A 2001:db8::2 1 65535\r\n'), origin: v6 },
  {
    name: 'the longest line with addresses',
    bytes: line(`PROXY TCP6 ${Array(8).fill('ffff').join(':')} ${Array(8).fill('ffff').join(':')} 65535 65535\r\n`),
    origin: { host: Array(8).fill('ffff').join(':'), port: 65535 },
  },
  {
    name: 'a line with IPv4 as IPv6',
    bytes: line('PROXY TCP6 ::ffff:203.0.113.7 ::1 56324 0\r\n'),
    origin: { host: '::ffff:203.0.113.7', port: 56324 },
  },
  { name: 'a line of which nothing is known', bytes: line('PROXY UNKNOWN\r\n'), origin: undefined },
  {
    name: 'the longest line of which nothing is known',
    bytes: line(`PROXY UNKNOWN ${'f'.repeat(107 - 16)}\r\n`),
    origin: undefined,
  },
  { name: 'a binary one with IPv4', bytes: binaryHeader({ family: 1, origin: v4 }), origin: v4 },
  { name: 'a binary one with IPv6', bytes: binaryHeader({ family: 2, origin: v6 }), origin: v6 },
  {
    name: 'a binary one with more after its addresses than is read',
    bytes: binaryHeader({ family: 1, origin: v4, more: Buffer.alloc(400, 4) }),
    origin: v4,
  },
  {
    name: 'a binary one with IPv6 and more',
    bytes: binaryHeader({ family: 2, origin: v6, more: Buffer.from([4, 0, 1, 9]) }),
    origin: v6,
  },
  { name: 'a balancer’s own', bytes: binaryHeader({ command: 0, family: 0, transport: 0 }), origin: undefined },
  {
    name: 'a balancer’s own with addresses of no family',
    bytes: binaryHeader({ command: 0, family: 15, transport: 15, more: Buffer.alloc(7) }),
    origin: undefined,
  },
  { name: 'one of no family', bytes: binaryHeader({ family: 0, transport: 0 }), origin: undefined },
  { name: 'one of sockets of Unix', bytes: binaryHeader({ family: 3, more: Buffer.alloc(216) }), origin: undefined },
  { name: 'one of UDP', bytes: binaryHeader({ family: 1, transport: 2, origin: v4 }), origin: undefined },
];

describe.each(wholes)('$name', ({ bytes, origin }) => {
  const whole = { kind: 'whole', origin, bytes: bytes.length };

  test('is read, cut at each place, and what comes after it stays', () => {
    const all = Buffer.concat([bytes, AFTER]);
    for (let at = 0; at <= all.length; at++) {
      expect(read([all.subarray(0, at), all.subarray(at)])).toEqual({ ...whole, rest: AFTER });
    }
  });

  test('is read a byte at a time, and is not whole before its last byte', () => {
    const verdicts: HeaderVerdict[] = [];
    const header = new ProxyHeader();
    for (const byte of bytes) verdicts.push(header.push(Buffer.from([byte])));
    expect(verdicts.slice(0, -1).every(({ kind }) => kind === 'more')).toBe(true);
    expect(verdicts.at(-1)).toEqual({ ...whole, rest: Buffer.alloc(0) });
  });
});

test('the longest binary header is read', () => {
  const bytes = binaryHeader({ family: 1, origin: v4, more: Buffer.alloc(65_535 - 12, 0xff) });
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, n) =>
    bytes.subarray(n * 1000, n * 1000 + 1000),
  );
  expect(read([...pieces, AFTER])).toEqual({ kind: 'whole', origin: v4, bytes: bytes.length, rest: AFTER });
});

test.each([
  ['a driver that comes directly', Buffer.from([0xc3, 0xbd, 0xc2, 0x34]), 'there is none'],
  ['TLS', Buffer.from([0x16, 0x03, 0x01]), 'there is none'],
  ['HTTP', line('GET / HTTP/1.1\r\n'), 'there is none'],
  ['another case', line('proxy TCP4'), 'there is none'],
  ['another first word', line('PROXIED'), 'there is none'],
  ['a signature that goes on otherwise', line('\r\n\r\n\0\r\nQUIT\r'), 'there is none'],
  ['version 1 in binary', binaryHeader({ version: 1, family: 1, origin: v4 }), 'its version is 1'],
  ['version 3', binaryHeader({ version: 3, family: 1, origin: v4 }), 'its version is 3'],
  ['a command that there is not', binaryHeader({ command: 2, family: 1, origin: v4 }), 'its command is 2'],
  ['a family that there is not', binaryHeader({ family: 4, origin: v4 }), 'its family of addresses is 4'],
  ['a transport that there is not', binaryHeader({ family: 1, transport: 3, origin: v4 }), 'its transport is 3'],
  [
    'addresses of IPv4 that are too short',
    binaryHeader({ family: 1, more: Buffer.alloc(11) }),
    'its addresses are too short',
  ],
  [
    'addresses of IPv6 that are too short',
    binaryHeader({ family: 2, more: Buffer.alloc(35) }),
    'its addresses are too short',
  ],
  ...[
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324 28015 \r\n',
    'PROXY TCP4  203.0.113.7 192.0.2.1 56324 28015\r\n',
    'PROXY TCP4 203.0.113.7\t192.0.2.1 56324 28015\r\n',
    'PROXY TCP4 203.0.113.07 192.0.2.1 56324 28015\r\n',
    'PROXY TCP4 203.0.113.256 192.0.2.1 56324 28015\r\n',
    'PROXY TCP4 203.0.113 192.0.2.1 56324 28015\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 65536 28015\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 056 28015\r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324 -1\r\n',
    'PROXY TCP4 2001:db8::1 2001:db8::2 56324 28015\r\n',
    'PROXY TCP6 203.0.113.7 192.0.2.1 56324 28015\r\n',
    'PROXY TCP6 2001:db8::1::2 ::1 56324 28015\r\n',
    'PROXY TCP6 fe80::1%lo ::1 56324 28015\r\n',
    'PROXY TCP5 203.0.113.7 192.0.2.1 56324 28015\r\n',
    'PROXY UNKNOWNER\r\n',
    'PROXY \r\n',
    'PROXY TCP4 203.0.113.7 192.0.2.1 56324 28015\n\r\n',
  ].map((text): [string, Buffer, string] => [JSON.stringify(text), line(text), 'its line is not as it has to be']),
  ['a line that is too long by one', line(`PROXY UNKNOWN ${'f'.repeat(107 - 15)}\r\n`), 'its line does not end'],
  ['a line without an end', line(`PROXY UNKNOWN ${'f'.repeat(107 - 14)}`), 'its line does not end'],
])('%s is wrong, however it is cut', (_name, bytes, problem) => {
  const expected = { kind: 'wrong', problem };
  expect(read([bytes])).toEqual(expected);
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

test('any bytes are read to the same verdict however they are cut, and never throw', () => {
  const start = fc.constantFrom(...wholes.map(({ bytes }) => bytes));
  const bytes = fc
    .tuple(start, fc.nat(60), fc.uint8Array({ maxLength: 60 }))
    .map(([whole, at, noise]) => Buffer.concat([whole.subarray(0, at), noise, whole.subarray(at)]));
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(140), { maxLength: 4 }), (all, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)).toSorted((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((place, index) => all.subarray(places[index], place));
      expect(read(pieces)).toEqual(read([all]));
    }),
  );
});
