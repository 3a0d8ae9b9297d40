// A row `{group, reduction}` for each group.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { Groups } from './groups.ts';
import type { GroupSink, LiveRow, LiveRows, RowSink } from './operator.ts';

/** Groups as rows. */
export class UngroupedRows implements LiveRows, GroupSink {
  readonly sinks: RowSink[] = [];
  readonly #groups: Groups;

  constructor(groups: Groups) {
    this.#groups = groups;
    groups.sinks.push(this);
  }

  *rows(): Iterable<LiveRow> {
    for (const { group, value } of this.#groups.groups()) yield [{ group, reduction: value }, group];
  }

  group(_key: string, group: Datum, old: Datum | undefined, now: Datum | undefined): void {
    const oldRow = old === undefined ? undefined : { group, reduction: old };
    const nowRow = now === undefined ? undefined : { group, reduction: now };
    for (const sink of this.sinks) sink.row(oldRow, nowRow, group);
  }
}
