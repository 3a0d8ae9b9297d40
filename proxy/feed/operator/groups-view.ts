// Groups and their values, and what stands in their place while there are none: `default` over groups.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type Difference, type Tell, withSides } from './difference.ts';
import type { Groups } from './groups.ts';
import { Listeners } from './listeners.ts';
import type { GroupSink } from './operator.ts';
import { THE_VALUE } from './value-view.ts';
import type { View } from './view.ts';

/** The view of groups with a value each. */
export class GroupsView implements View, GroupSink {
  readonly #groups: Groups;
  readonly #listeners = new Listeners();
  /** What is shown in the place of the groups. */
  #whole: Datum = null;

  constructor(groups: Groups) {
    this.#groups = groups;
    groups.sinks.push(this);
  }

  listen(tell: Tell): () => void {
    return this.#listeners.add(tell);
  }

  *snapshot(): Iterable<Difference> {
    for (const { key, group, value } of this.#groups.groups()) {
      yield { of: 'group', key, group, old: undefined, now: value };
    }
    if (this.#whole !== null) yield withSides(THE_VALUE, undefined, this.#whole);
  }

  settle(): boolean {
    const old = this.#whole;
    const now = this.#groups.whole.value;
    this.#whole = now;
    if (!equalDatums(old, now)) this.#listeners.tell(withSides(THE_VALUE, old, now));
    return true;
  }

  group(key: string, group: Datum, old: Datum | undefined, now: Datum | undefined): void {
    if (this.#listeners.isEmpty) return;
    this.#listeners.tell({ of: 'group', key, group, old, now });
  }
}
