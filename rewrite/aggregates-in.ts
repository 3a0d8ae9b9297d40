// All aggregates of a live query, wherever they stand: in expressions, in groups, below rows that are computed.

import type { Aggregated, Elements, Live, Value } from './live.ts';

/** The aggregates of what is watched; one may come several times. A client's `reducer` is none, what is below it is. */
export function aggregatesIn(watched: Live['watched']): readonly Aggregated[] {
  switch (watched.kind) {
    case 'aggregate':
      return [watched, ...below(watched.of)];
    case 'expression':
      return watched.of.flatMap(aggregatesIn);
    case 'grouped':
      return [...aggregatesIn(watched.value), ...missed(watched.missed), ...below(watched.of)];
    case 'ungroup':
    case 'flat':
      return aggregatesIn(watched.of);
    case 'distinct':
      return [...missed(watched.missed), ...below(watched.of)];
    case 'top':
    case 'listed':
    case 'reduced':
      return below(watched.of);
  }
}

function missed(count: Value | undefined): readonly Aggregated[] {
  return count === undefined ? [] : aggregatesIn(count);
}

function below({ parts }: Elements): readonly Aggregated[] {
  return parts.flatMap((part): readonly Aggregated[] => (part.kind === 'rows' ? aggregatesIn(part.rows) : []));
}
