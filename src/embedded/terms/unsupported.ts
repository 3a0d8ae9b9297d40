// JAVASCRIPT and HTTP, which the embedded server has not, and the error of all such terms.

import { logicError, type ReqlError } from '../../../rewrite/reql/error.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';

/** The error of a term that the embedded server has not, by the term's name in drivers. */
export function unsupported(args: Args, name: string): ReqlError {
  return logicError(`\`${name}\` is not supported by the embedded server.`, args.origin);
}

const refuse = (name: string) =>
  op((args) => {
    throw unsupported(args, name);
  });

export const unsupportedTerms: TermTable = {
  [TermType.JAVASCRIPT]: refuse('r.js'),
  [TermType.HTTP]: refuse('r.http'),
};
