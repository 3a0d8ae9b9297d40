// UNION of feeds: they are read side by side, where a union of other streams is read one after the other.

import { pureTerms, type TermCompiler, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { UnionStream } from '../../../rewrite/reql/eval/streams/union-stream.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { FeedUnionStream, feedsOf } from '../feed/feed-stream.ts';

const union: TermCompiler = (call, env) => {
  const compiler = pureTerms[TermType.UNION];
  if (compiler === undefined) throw new Error('the evaluator has no UNION');
  const plain = compiler(call, env);
  return {
    ...plain,
    eval(scope) {
      const value = plain.eval(scope);
      if (!(value instanceof UnionStream) || feedsOf(value).length === 0) return value;
      return new FeedUnionStream(value.streams, value.origin, false, value.meter);
    },
  };
};

export const unionTerms: TermTable = { [TermType.UNION]: union };
