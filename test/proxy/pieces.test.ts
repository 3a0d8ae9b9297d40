// A query is ours or not, however it was cut on its way: drivers write the header and the body apart, and networks cut as they like.

import { expect, test } from 'vitest';
import { HEAD_BYTES, Inspection } from '../../proxy/relay/inspection.ts';
import { HEADER_BYTES, MAX_QUERY_BYTES } from '../../proxy/wire/frame.ts';
import { Splitter } from '../../proxy/wire/splitter.ts';
import { frame } from '../support/checks/bytes.ts';

const COUNT = '[152,[[43,[[15,["t"]]]]]]';
const LONG = `[${Array.from({ length: 40_000 }, (_, at) => at).join()}]`;

const OURS = {
  'a count': `[1,${COUNT}]`,
  'a count beside rows that are written out': `[1,[44,[[2,[{"a":1}]],${COUNT}]]]`,
  'a count beside a table': `[1,[44,[[15,["u"]],${COUNT}]]]`,
  'a count in a map over several': `[1,[38,[[2,[1,2]],${COUNT},[69,[[2,[1,2]],[10,[1]]]]]]]`,
  'a count where no feed can be': `[1,[2,[1,${COUNT}]]]`,
  'a count beside many rows that are written out': `[1,[44,[[2,${LONG}],${COUNT}]]]`,
};

const THEIRS = {
  'a write of many rows': `[1,[56,[[15,["t"]],[2,${LONG}]]]]`,
  'a union': `[1,[44,[[2,${LONG}],[15,["t"]]]]]`,
  'a count': '[1,[43,[[15,["t"]]]]]',
};

/** Whether a query is gathered that comes cut in two at each of its first bytes, at some later ones, and before its last. */
function gathered(body: string): ReadonlyMap<number, boolean> {
  const whole = frame(7, body);
  const cuts = Array.from({ length: 80 }, (_, at) => at + 1).filter((cut) => cut < whole.length);
  return new Map(
    [...cuts, 20_000, 70_000, whole.length - 1]
      .filter((cut) => cut < whole.length)
      .map((cut) => [cut, isGathered([whole.subarray(0, cut), whole.subarray(cut)])]),
  );
}

function isGathered(pieces: readonly Buffer[]): boolean {
  const inspection = new Inspection(MAX_QUERY_BYTES);
  let seen = false;
  const splitter = new Splitter(
    {
      look: (bytes, start, end, length) => inspection.look(bytes, start, end, length),
      more: (bytes, start, end) => inspection.more(bytes, start, end),
      pass: () => {},
      frame: (whole) => {
        seen = inspection.mayBeFeed(whole, HEADER_BYTES, whole.length);
        return seen;
      },
    },
    HEAD_BYTES,
  );
  for (const piece of pieces) splitter.push(piece);
  return seen;
}

test.each(Object.entries(OURS))('%s is seen, wherever it is cut', (_what, body) => {
  expect([...gathered(body)].filter(([, seen]) => !seen)).toEqual([]);
});

test.each(Object.entries(THEIRS))('%s passes, wherever it is cut', (_what, body) => {
  expect([...gathered(body)].filter(([, seen]) => seen)).toEqual([]);
});
