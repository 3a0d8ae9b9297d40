import { expect, test } from 'vitest';
import { ClientHandshake, type ClientMessage, ServerHandshake } from '../../../proxy/wire/handshake.ts';
import { handshakeError, readFields, userOf } from '../../../proxy/wire/handshake-message.ts';
import { Version } from '../../../rewrite/reql/protocol.ts';
import { cutAt, text, word } from '../../support/checks/bytes.ts';

const V1_0 = 0x34c2bdc3;
const V0_4 = 0x400c2d20;
const JSON_PROTOCOL = 0x7e6970c7;

function read(chunks: readonly Buffer[]): ClientMessage[] {
  const handshake = new ClientHandshake();
  const messages: ClientMessage[] = [];
  for (const chunk of chunks) {
    handshake.push(chunk);
    for (let message = handshake.next(); message !== undefined; message = handshake.next()) messages.push(message);
  }
  return messages;
}

test('a V1_0 client is a magic and texts, wherever it is cut', () => {
  const all = Buffer.concat([word(V1_0), text('{"a":"é"}'), text('{"b":2}')]);
  for (let first = 0; first <= all.length; first++) {
    for (const second of [first, Math.min(first + 1, all.length), all.length]) {
      const messages = read(cutAt(all, [first, second]));
      expect(messages.map((message) => message.kind)).toEqual(['magic', 'json', 'json']);
      expect(messages.map((message) => (message.kind === 'json' ? message.text : ''))).toEqual([
        '',
        '{"a":"é"}',
        '{"b":2}',
      ]);
      expect(Buffer.concat(messages.map((message) => message.bytes))).toEqual(all);
    }
  }
});

test('a V0_4 client is a magic, a key and a protocol', () => {
  const all = Buffer.concat([word(V0_4), word(3), Buffer.from('key'), word(JSON_PROTOCOL)]);
  for (let cut = 0; cut <= all.length; cut++) {
    const [magic, key, protocol, ...more] = read(cutAt(all, [cut]));
    expect(magic).toMatchObject({ kind: 'magic', version: Version.V0_4 });
    expect(key).toMatchObject({ kind: 'key', key: Buffer.from('key') });
    expect(protocol).toMatchObject({ kind: 'protocol', protocol: JSON_PROTOCOL });
    expect(more).toEqual([]);
  }
});

test.each([
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a TLS hello', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])],
  ['a key that is too long', Buffer.concat([word(V0_4), word(4096)])],
  ['another protocol', Buffer.concat([word(V0_4), word(0), word(0x271ffc41), Buffer.from('more')])],
  ['protobuf', Buffer.concat([word(0x3f61ba36), Buffer.from('more')])],
  ['a text without an end', Buffer.concat([word(V1_0), Buffer.alloc(2048, 'x')])],
])('%s comes out whole and opaque', (_name, bytes) => {
  const messages = read([bytes]);
  expect(messages.at(-1)?.kind).toBe('opaque');
  expect(Buffer.concat(messages.map((message) => message.bytes))).toEqual(bytes);
});

test('a server is texts, and what follows them stays', () => {
  const handshake = new ServerHandshake();
  handshake.push(Buffer.concat([text('SUCCESS'), Buffer.from('fra')]));
  handshake.push(Buffer.from('me'));
  expect(handshake.next()).toMatchObject({ kind: 'text', text: 'SUCCESS' });
  expect(handshake.next()).toBe(undefined);
  expect(handshake.rest().toString()).toBe('frame');
  expect(handshake.rest()).toHaveLength(0);
});

test.each([
  ['n,,n=admin,r=abc', 'admin'],
  ['n,,n=a=2Cb=3D2C,r=abc', 'a,b=2C'],
  ['n,,n=,r=abc', ''],
  ['y,a=x,n=bob,r=abc', 'bob'],
  ['n,,r=abc', undefined],
  ['nonsense', undefined],
])('the user of %j is %j', (authentication, user) => {
  expect(userOf(authentication)).toBe(user);
});

test('fields that are no strings or booleans, and texts that are no objects, are left out', () => {
  expect([...readFields('{"a":"x","b":true,"c":1,"d":null}')]).toEqual([
    ['a', 'x'],
    ['b', true],
  ]);
  for (const text of ['', '[1]', '7', '{', 'null']) expect(readFields(text).size).toBe(0);
});

test('an error is JSON for V1_0 and text for all others', () => {
  expect(handshakeError(Version.V1_0, 'no "x"').toString()).toBe(
    '{"success":false,"error":"no \\"x\\"","error_code":0}\0',
  );
  for (const version of [Version.V0_4, Version.V0_3, undefined]) {
    expect(handshakeError(version, 'no').toString()).toBe('ERROR: no\n\0');
  }
});
