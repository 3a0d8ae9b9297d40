// The optargs that writes share (writes.cc).

import { isTrue } from '../../../rewrite/reql/data/data-type.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { toDatum } from '../../../rewrite/reql/eval/core/value.ts';
import type { Args } from '../../../rewrite/reql/eval/index.ts';
import type { Durability } from '../catalog/catalog.ts';

export type ReturnChanges = 'no' | 'yes' | 'always';

/** The optarg `durability`: accepted and checked, though nothing here outlives the server. */
export function durabilityOptarg(args: Args): Durability | undefined {
  const durability = args.optargString('durability');
  if (durability === undefined || durability === 'hard' || durability === 'soft') return durability;
  throw logicError(
    `Durability option \`${durability}\` unrecognized (options are "hard" and "soft").`,
    args.optargMaker('durability'),
  );
}

export function returnChangesOptarg(args: Args): ReturnChanges {
  if (args.optarg('return_vals') !== undefined) {
    throw args.fail('Error: encountered obsolete optarg `return_vals`.  Use `return_changes` instead.');
  }
  const value = args.optarg('return_changes');
  if (value === undefined) return 'no';
  const datum = toDatum(value, args.optargMaker('return_changes'));
  if (typeof datum !== 'string') return isTrue(datum) ? 'yes' : 'no';
  if (datum === 'always') return 'always';
  throw args.fail(`Invalid return_changes value \`${datum}\` (options are \`true\`, \`false\`, and \`'always'\`.)`);
}
