import { expect, test } from 'vitest';
import { checkQuery } from '../../../../rewrite/reql/term/check.ts';
import { parseQuery } from '../../../../rewrite/reql/term/parse.ts';

// Recorded from RethinkDB 2.4.4; test/signatures.test.ts holds thousands more.
const refused: readonly [text: string, message: string, frames: readonly (string | number)[]][] = [
  ['[1,[9999,[]]]', 'Unrecognized TermType: 9999.', []],
  ['[1,[24.0,[1]]]', 'Unrecognized TermType: 0.', []],
  ['[1,[73,["a"]]]', 'ASC may only be used as an argument to ORDER_BY or UNION.', []],
  [
    '[1,[39,[[2,[1,2]],[54,[[15,["t"]]]]]]]',
    'Cannot nest writes or meta ops in stream operations.  Use FOR_EACH instead.',
    [1],
  ],
  ['[1,1,{"nope":1}]', 'Unrecognized global optional argument `nope`.', []],
  ['[1,1,{"db":[14,["x"]],"db":[14,["y"]]}]', 'Duplicate global optional argument: `db`.', []],
  ['[1,{"a":1,"a":2}]', 'Duplicate object key: a.', []],
  ['[1,[152,[[15,["t"]]],{"squash":1,"squash":2}]]', 'Duplicate optional argument: squash', ['squash']],
  ['[1,[24,[1,[69,[[2,[1]],[10,[2]]]]]]]', 'Variable name not found.', [1, 1]],
  ['[1,[10,[1.5]]]', 'Number not an integer: 1.5', []],
  ['[1,[69,[[1,[7]],[10,[7]]]]]', 'CLIENT ERROR: FUNC variables must be a literal array of *numbers*.', []],
  ['[1,[64,[[69,[[2,["a"]],1]],1]]]', 'CLIENT ERROR: FUNC variables must be a literal array of *numbers*.', [0]],
  [
    '[1,[64,[[69,[[2,[1]],[69,[[2,[2]],[13]]]]],1]]]',
    'Cannot use r.row in nested queries.  Use functions instead.',
    [0, 1, 1],
  ],
  ['[1,[38,[[2,[1]],[69,[[2,[-1]],[13]]]]]]', 'r.row is not defined in this context.', [1, 1]],
  ['[1,[3,[1]]]', 'MAKE_OBJ term must not have any args.', []],
  ['[1,[70,[[154,[[2,[1,2]]]]]]]', 'Expected 2 arguments but found 1.', []],
];
test.each(refused)('%s is refused: %s', (text, message, frames) => {
  const query = parseQuery(text);
  if (query.type !== 1) throw new Error('not a START query');
  const error = checkQuery(query);
  expect(error).toMatchObject({ responseType: 17, errorType: undefined, message });
  expect(error?.frames).toEqual(frames);
});

test.each([
  '[1,[64,[[69,[[2,[1.5]],[10,[1]]]],5]]]',
  '[1,[64,[[69,[[2,[1,1]],[10,[1]]]],5,6]]]',
  '[1,[64,[[69,[[1,[]],1]]]]]',
  '[1,[24,[[154,[[2,[]]]],1]]]',
  '[1,[41,[[2,[]],[74,["a"]]]]]',
  '[1,1,{"profile":1,"_EVAL_FLAGS_":1}]',
  '[1,[68,[[2,[1]],[69,[[2,[1]],[54,[[15,["t"]]]]]]]]]',
])('%s is run', (text) => {
  const query = parseQuery(text);
  if (query.type !== 1) throw new Error('not a START query');
  expect(checkQuery(query)).toBeUndefined();
});
