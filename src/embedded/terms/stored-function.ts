// Functions that outlive their query: those of indexes and write hooks. They are shown as a text and as a blob, and can
// be given back as that blob. (The server's blobs are its own serialization; these are the term's JSON.)

import { isPseudo } from '../../../rewrite/reql/data/data-type.ts';
import { binaryBytes } from '../../../rewrite/reql/data/pseudo.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { Func } from '../../../rewrite/reql/eval/core/func.ts';
import { ReqlFunc } from '../../../rewrite/reql/eval/core/reql-func.ts';
import { isDatumLike, toDatum } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, asFunc, compile, createContext } from '../../../rewrite/reql/eval/index.ts';
import { printTerm } from '../../../rewrite/reql/print/print.ts';
import { parseTerm } from '../../../rewrite/reql/term/parse.ts';
import { serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import { ROW_STEPS } from './answer-budget.ts';

/** The blob of a function's term, in base64. */
export function blobOfFunction(prefix: string, term: string): string {
  return Buffer.from(prefix + term, 'utf8').toString('base64');
}

/** A function as `indexStatus` and `getWriteHook` show it. */
export function printFunction(func: Func, prefix: string): { readonly text: string; readonly blob: string } {
  if (!(func instanceof ReqlFunc)) return { text: 'function() { }', blob: blobOfFunction(prefix, '') };
  const { term, params, body } = func.code;
  const names = new Map(params.map((id) => [id, `var${id}`] as const));
  const text = `function(${[...names.values()].join(', ')}) { return ${printTerm(body.term, names)}; }`;
  return { text, blob: blobOfFunction(prefix, serializeTerm(term)) };
}

/** Calls a function that is stored: whoever has written it, each call has steps of its own. */
export function callStored<Result>({ meter }: Func, call: () => Result): Result {
  return meter.apart(ROW_STEPS, call);
}

/** An argument as a function: one written out, or the blob of an earlier one. */
export function functionArg(args: Args, index: number, prefix: string, badBlob: string): Func {
  const value = args.value(index);
  const datum = value instanceof Func || !isDatumLike(value) ? undefined : toDatum(value, args.maker(index));
  if (datum === undefined || !isPseudo(datum, 'BINARY'))
    return asFunc(value, args.maker(index), args.context.meter, 'none');
  const blob = Buffer.from(binaryBytes(datum)).toString('utf8');
  if (!blob.startsWith(prefix)) throw args.fail(badBlob);
  const term = parseTerm(blob.slice(prefix.length));
  if (term instanceof ReqlError) throw args.fail(badBlob);
  const context = createContext({ terms: args.context.terms, meter: args.context.meter });
  return asFunc(compile(term, context).eval(undefined), args.origin, context.meter, 'none');
}
