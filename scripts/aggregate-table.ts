// The README's table of aggregates, between two comments that mark its place.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Aggregate, isNamed } from '../rewrite/aggregates/aggregate.ts';
import { aggregates } from '../rewrite/aggregates/index.ts';

const START = '<!-- aggregates -->';
const END = '<!-- /aggregates -->';

/** The README with the table as it should be; nothing where there is no README with the marks. */
export function aggregateTable(root: string): readonly { readonly path: string; readonly text: string }[] {
  const path = 'README.md';
  const whole = join(root, path);
  const text = existsSync(whole) ? readFileSync(whole, 'utf8') : '';
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start < 0 || end < start) return [];
  return [{ path, text: `${text.slice(0, start + START.length)}\n${tableText()}${text.slice(end)}` }];
}

function tableText(): string {
  const rows = [...aggregates].sort((a, b) => (a.name < b.name ? -1 : 1)).map(row);
  return `
| Aggregate | Over nothing | State | Folded inside RethinkDB | Examples |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

`;
}

function row(aggregate: Aggregate): string {
  const { name, empty, growth, examples } = aggregate;
  const queries = examples.map((example) => code(example)).join('<br>');
  const meaning = isNamed(aggregate) ? `: ${aggregate.meaning}` : '';
  return `| ${code(name)}${meaning} | ${empty} | ${growth} | ${inside(aggregate)} | ${queries} |`;
}

function inside({ server, evaluate }: Aggregate): string {
  if (server !== undefined) return 'yes';
  return evaluate === undefined ? 'no, in the proxy' : 'as a bag of elements';
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
