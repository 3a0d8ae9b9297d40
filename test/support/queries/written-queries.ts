// Queries that stand in a text for people: chains of calls that begin with `r.` or `t`, in code spans and in code blocks.

/** The queries of a Markdown text that have a `changes`, without the `run` at their end; each once. */
export function queriesIn(markdown: string): readonly string[] {
  // A query has no types of TypeScript.
  const text = markdown.replace(/<[A-Z]\w*>\(/g, '(');
  const found: string[] = [];
  let end = 0;
  for (const { index } of text.matchAll(/(?<![\w.])r\.\w+|(?<![\w.'"])t(?=[.(])/g)) {
    // A query inside of a query is a part of it.
    if (index < end) continue;
    const query = chainAt(text, index);
    if (!query.includes('.changes(')) continue;
    found.push(query);
    end = index + query.length;
  }
  return [...new Set(found)];
}

/** The names and calls that follow upon each other from a place on; a call may begin on a new line. */
function chainAt(text: string, start: number): string {
  let end = start;
  for (;;) {
    const [name = ''] = /^(?:\s*\.)?\w+(?=[.(])|^\s*\.\w+(?=\()/.exec(text.slice(end)) ?? [];
    if (/^\s*\.run$/.test(name)) return text.slice(start, end);
    if (name === '' && text[end] !== '(') return text.slice(start, end);
    end += name.length;
    if (text[end] === '(') end = closing(text, end);
  }
}

/** The place after the bracket that closes the one here. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const sign = text[at] ?? '';
    if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth--;
    else if (`'"`.includes(sign)) at = text.indexOf(sign, at + 1);
    else if (text.startsWith('//', at)) at = text.indexOf('\n', at);
    if (at < 0) break;
    if (depth === 0) return at + 1;
  }
  throw new SyntaxError(`a bracket is not closed: ${text.slice(open, open + 60)}`);
}

/** A query that ends with `changes`, taken apart: what is watched, and the text of its options. */
export function watchedIn(query: string): { readonly watched: string; readonly options: string } {
  const at = query.lastIndexOf('.changes(');
  const end = closing(query, at + '.changes'.length);
  if (at < 0 || end !== query.length) throw new SyntaxError(`changes is not the last call of ${query}`);
  return { watched: query.slice(0, at), options: query.slice(at + '.changes('.length, -1) };
}
