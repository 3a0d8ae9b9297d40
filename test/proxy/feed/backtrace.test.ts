import { expect, test } from 'vitest';
import { originOf } from '../../../proxy/feed/opening/backtrace.ts';
import { framesOf, type Origin, ROOT } from '../../../rewrite/reql/origin.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';

const at = (...frames: readonly (string | number)[]): Origin =>
  frames.reduce<Origin>((parent, frame) => ({ parent, frame }), ROOT);
const datum = (origin?: Origin): Term => ({ kind: 'datum', value: 1, ...(origin === undefined ? {} : { origin }) });

const sent: Term = {
  kind: 'call',
  type: 187,
  args: [
    { kind: 'call', type: 152, args: [datum(at(0, 0))], optargs: [], origin: at(0) },
    { kind: 'object', fields: [['f', datum()]] },
  ],
  optargs: [['emit', datum(at('squash'))]],
  origin: at(),
};

test.each([
  [
    [0, 0],
    [0, 0],
  ],
  [[0], [0]],
  [[1, 'f'], []],
  [['emit'], ['squash']],
  [
    [0, 0, 7, 'x'],
    [0, 0],
  ],
  [[], []],
])('the frames %j point to %j', (frames, expected) => {
  expect(framesOf(originOf(sent, frames))).toEqual(expected);
});
