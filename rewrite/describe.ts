// What is folded of a live query, in a few words: `sum, for each group`, `count over distinct`.

import type { Elements, Live, Reduced, Rows, Value } from './live.ts';

type Watched = Live['watched'];

/** How each kind of what can be watched reads. */
const texts: { readonly [Kind in Watched['kind']]: (watched: Extract<Watched, { kind: Kind }>) => string } = {
  aggregate: ({ aggregate, of }) => `\`${aggregate.name}\`${over(of)}`,
  expression: ({ of }) => `an expression over ${listed(of)}`,
  grouped: ({ of, value }) => `${describe(value)}, for each group${over(of)}`,
  reduced: ({ of, grouped }) => `\`reducer\`${grouped ? ', for each group' : ''}${over(of)}`,
  distinct: ({ of }) => `\`distinct\`${over(of)}`,
  ungroup: ({ of }) => `${describe(of)}, as rows`,
  top: ({ of, limit }) => `the first ${limit} of an order${over(of)}`,
  flat: ({ of }) => `the items of ${describe(of)}, as rows`,
  listed: ({ of }) => `rows that are computed${over(of)}`,
};

/** What is folded, outermost first; terms as drivers spell them. */
export function describe(watched: Value | Reduced | Rows | Extract<Watched, { kind: 'grouped' }>): string {
  return (texts[watched.kind] as (one: Watched) => string)(watched);
}

/** Elements of sources go without saying; those that are made of rows do not. */
function over({ parts }: Elements): string {
  const rows = parts.flatMap((part) => (part.kind === 'rows' ? [describe(part.rows)] : []));
  return rows.length === 0 ? '' : ` over ${rows.join(' and ')}`;
}

function listed(values: readonly Value[]): string {
  return [...new Set(values.map(describe))].join(', ');
}
