// The query that was typed for `livefold explain`: JavaScript, or the wire's JSON.

import { termOfReql } from '../../rewrite/reql/build/r.ts';
import { readJson } from '../../rewrite/reql/term/json.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import { serializeQuery } from '../../rewrite/reql/term/serialize.ts';
import { excerpt } from './excerpt.ts';
import { runJavaScript } from './javascript.ts';
import { UsageError } from './usage-error.ts';

/**
 * The query, as wire JSON, that a text stands for: JavaScript, as it is in a program (`const feed = await`, `.run(conn)` and all),
 * or JSON. What begins with `[` is JSON, and never run. Throws UsageError for a text that stands for no query.
 */
export function queryOfText(text: string): string {
  if (/^\s*\[/.test(text)) return checkedJson(text);
  const value = runJavaScript(text);
  try {
    return serializeQuery({ term: termOfReql(value), globalOptargs: [] });
  } catch (error) {
    throw new UsageError(`cannot read the query: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkedJson(text: string): string {
  const read = readJson(text);
  if ('fault' in read) {
    const where = read.at >= text.trimEnd().length ? 'it ends too early' : 'here';
    throw new UsageError(`the query begins as JSON does, and is not JSON: ${where}`, excerpt(text, read.at));
  }
  const query = parseQuery(text);
  if (query.type !== 'malformed') return text;
  throw new UsageError(`this JSON is no query: ${query.error.message} A query to explain is \`[1, term]\``);
}
