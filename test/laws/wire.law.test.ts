// Laws of the wire: the cut of a stream never shows, bytes that pass are the bytes that came, and a look at a query's
// bytes never misses what a parser finds.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readToken } from '../../proxy/wire/frame.ts';
import { ClientHandshake, ServerHandshake } from '../../proxy/wire/handshake.ts';
import { changesSearch, endsNoreply, isNoreply, mayHoldChanges, queryType } from '../../proxy/wire/query.ts';
import { readResponseHead } from '../../proxy/wire/response.ts';
import { Spine } from '../../proxy/wire/spine.ts';
import { Splitter, Verdict } from '../../proxy/wire/splitter.ts';
import { cutAt, frame } from '../support/checks/bytes.ts';

const token = fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }));
const body = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
const frames = fc.array(fc.tuple(token, body), { maxLength: 8 });
const cuts = fc.array(fc.nat({ max: 600 }), { maxLength: 12 });

interface Seen {
  readonly passed: Buffer;
  readonly frames: readonly Buffer[];
}

/** Splits a stream; frames with even tokens are wanted, with every third one only after a longer look. */
function split(chunks: readonly Buffer[]): Seen {
  const passed: Buffer[] = [];
  const collected: Buffer[] = [];
  const splitter = new Splitter(
    {
      look(bytes, start, end, length) {
        const value = readToken(bytes, start);
        if (value % 3n === 0n && end - start < Math.min(30, 12 + length)) return Verdict.MORE;
        return value % 2n === 0n ? Verdict.COLLECT : Verdict.PASS;
      },
      pass: (bytes) => passed.push(bytes),
      frame(bytes) {
        if (readToken(bytes) % 2n !== 0n) return false;
        collected.push(bytes);
        return true;
      },
    },
    30,
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { passed: Buffer.concat(passed), frames: collected };
}

test('every cut of a stream gives the same frames and the same passing bytes', () => {
  fc.assert(
    fc.property(frames, cuts, (list, positions) => {
      const stream = Buffer.concat(list.map(([value, content]) => frame(value, content)));
      const seen = split(
        cutAt(
          stream,
          positions.filter((position) => position < stream.length),
        ),
      );
      const wanted = list.filter(([value]) => value % 2n === 0n);
      const others = list.filter(([value]) => value % 2n !== 0n);
      expect(seen.frames).toEqual(wanted.map(([value, content]) => frame(value, content)));
      expect(seen.passed).toEqual(Buffer.concat(others.map(([value, content]) => frame(value, content))));
    }),
    { numRuns: 2000 },
  );
});

test('every cut of a handshake gives the same messages, and all bytes come out in order', () => {
  const magic = fc.constantFrom(0x34c2bdc3, 0x400c2d20, 0x5f75e83e, 0x3f61ba36, 0x20544547);
  const content = fc
    .array(fc.constantFrom(0, 1, 3, 123, 125, 255), { maxLength: 40 })
    .map((bytes) => Buffer.from(bytes));
  const read = (chunks: readonly Buffer[]): readonly Buffer[] => {
    const handshake = new ClientHandshake();
    const messages: Buffer[] = [];
    for (const chunk of chunks) {
      handshake.push(chunk);
      for (let next = handshake.next(); next !== undefined; next = handshake.next()) {
        if (next.kind !== 'opaque') messages.push(next.bytes);
      }
    }
    return [...messages, handshake.rest()];
  };
  fc.assert(
    fc.property(magic, content, cuts, (first, rest, positions) => {
      const start = Buffer.alloc(4);
      start.writeUInt32LE(first);
      const stream = Buffer.concat([start, rest]);
      const whole = read([stream]);
      const cut = read(
        cutAt(
          stream,
          positions.filter((position) => position < stream.length),
        ),
      );
      const messages = (all: readonly Buffer[]): readonly Buffer[] => all.slice(0, -1);
      expect(messages(cut)).toEqual(messages(whole));
      if (first === 0x34c2bdc3) expect(Buffer.concat(cut)).toEqual(stream);
    }),
    { numRuns: 2000 },
  );
});

const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
const typeNumber = fc.constantFrom('152', '15', '43', '1', '1520', '1152', '152.0', '1.52e2', '-152');
const json = fc.letrec<{ term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('1', '152', '"[152,"', '"152"', 'null', '{"a":152}'),
    fc
      .tuple(space, typeNumber, space, fc.array(tie('term'), { maxLength: 3 }), space)
      .map(([before, type, after, args, last]) => `[${before}${type}${after},${last}[${args.join(',')}]${last}]`),
    fc.tuple(space, typeNumber, space).map(([before, type, after]) => `[${before}${type}${after}]`),
  ),
})).term;

/** Whether an array somewhere in the value starts with the int 152, spelled as one. */
function holdsChanges(text: string): boolean {
  const spelled = JSON.stringify(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
  return /\[(?:\\[nrt]| )*152(?:\\[nrt]| )*[,\]]/.test(spelled);
}

test('a look never misses a CHANGES, alone or among other queries', () => {
  fc.assert(
    fc.property(fc.array(json, { minLength: 1, maxLength: 4 }), (terms) => {
      const queries = terms.map((term) => Buffer.from(`[1,${term}]`));
      const all = Buffer.concat(queries);
      const search = changesSearch();
      let start = 0;
      for (const query of queries) {
        const alone = mayHoldChanges(query);
        if (holdsChanges(query.toString())) expect(alone).toBe(true);
        expect(mayHoldChanges(all, start, start + query.length, search)).toBe(alone);
        start += query.length;
      }
    }),
    { numRuns: 3000 },
  );
});

test('no bytes make the readers throw', () => {
  const alphabet = fc.constantFrom(...Buffer.from('[]{},:"\\ \n0123456789tn.e-'), 0, 255);
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 60 }), (list) => {
      const bytes = Buffer.from(list);
      queryType(bytes);
      new Spine(() => true).push(bytes, 0, bytes.length);
      mayHoldChanges(bytes);
      isNoreply(bytes);
      endsNoreply(bytes);
      readResponseHead(bytes);
      const server = new ServerHandshake();
      server.push(bytes);
      while (server.next() !== undefined);
    }),
    { numRuns: 5000 },
  );
});
