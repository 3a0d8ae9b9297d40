// Values and merges for laws: few keys, among them those of the notation and odd ones, and few values, so that much is the same.

import fc from 'fast-check';
import type { Merge } from '../../../rewrite/merge/index.ts';
import { setField } from '../../../rewrite/reql/data/datum.ts';

const KEYS = ['a', 'b', '_delete', '__delete', '___delete', '__proto__', 'constructor', ''];

const atom = fc.constantFrom<Merge>(
  null,
  true,
  0,
  -1.5,
  '',
  'a',
  'a longer text, so that it costs something to say it again',
  [],
  [{ _delete: true }],
  [1, { a: { __delete: 2 } }],
  { $reql_type$: 'TIME', epoch_time: 1, timezone: '+00:00' },
  { $reql_type$: 'TIME', epoch_time: 1, timezone: '+01:00' },
  { $reql_type$: 'BINARY', data: 'YQ==' },
);

function object(entries: readonly (readonly [string, Merge])[]): Merge {
  const made: Record<string, Merge> = {};
  for (const [key, value] of entries) setField(made, key, value);
  return made;
}

function objectOf(keys: readonly string[], field: fc.Arbitrary<Merge>): fc.Arbitrary<Merge> {
  return fc.array(fc.tuple(fc.constantFrom(...keys), field), { maxLength: 4 }).map(object);
}

const tree = fc.letrec<{ value: Merge; merge: Merge }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, atom, objectOf(KEYS, tie('value'))),
  merge: fc.oneof(
    { maxDepth: 4 },
    atom,
    objectOf(
      KEYS.filter((key) => key !== '_delete'),
      tie('merge'),
    ),
    fc
      .tuple(
        fc.constantFrom<Merge>(true, {}),
        objectOf(
          KEYS.filter((key) => key !== '_delete'),
          tie('merge'),
        ),
      )
      .map(([marker, rest]) => ({ _delete: marker, ...(rest as object) })),
  ),
}));

/** Any value; `undefined`: nothing is there. */
export const anyValue: fc.Arbitrary<Merge | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 9, arbitrary: tree.value },
);

/** Any merge, also one that nothing would write. */
export const anyMerge: fc.Arbitrary<Merge> = tree.merge;
