// The differences between two snapshots of one live query: one difference for each thing, so that whoever was shown the first is
// shown the second. What goes and what changes comes first, then what is new. Snapshots may be large: the work is in steps.

import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import {
  type Difference,
  type OutputChange,
  type OutputsDifference,
  type SidesDifference,
  sameSide,
  type ValueSubject,
  withSides,
} from '../operator/difference.ts';

/** Tells the differences that lead from one snapshot to the other, in steps. Neither may change meanwhile. */
export function* snapshotDifferences(
  before: Iterable<Difference>,
  after: Iterable<Difference>,
  tell: (difference: Difference) => void,
): Iterable<void> {
  const old = new Snapshot();
  for (const part of before) {
    old.add(part);
    yield;
  }
  const come: Difference[] = [];
  for (const part of after) {
    const differs = old.take(part);
    if (differs?.isNew === true) come.push(differs.difference);
    else if (differs !== undefined) tell(differs.difference);
    yield;
  }
  for (const difference of old.rest()) {
    tell(difference);
    yield;
  }
  for (const difference of come) {
    tell(difference);
    yield;
  }
}

/** The difference of a part of the later snapshot to the earlier one. */
interface Differs {
  readonly difference: Difference;
  /** Whether there was nothing of it. */
  readonly isNew: boolean;
}

/** A row that is known by its value alone, with how often it is there. */
interface Counted {
  readonly like: SidesDifference;
  count: number;
}

/** The rest of a snapshot without the parts that another one has as well. */
class Snapshot {
  /** By subject and key: one text made of both for each part took a third of the comparison. */
  readonly #keyed: { readonly [Of in ValueSubject]: Map<string, SidesDifference> } = {
    value: new Map(),
    group: new Map(),
    row: new Map(),
  };
  readonly #unnamed = new Map<string, Counted>();
  readonly #outputs = new Map<string, OutputsDifference>();

  add(part: Difference): void {
    if (part.of === 'output') {
      this.#outputs.set(part.key ?? '', part);
    } else if (part.key !== undefined) {
      this.#keyed[part.of].set(part.key, part);
    } else if (part.now !== undefined) {
      const key = datumKey(part.now);
      const known = this.#unnamed.get(key);
      if (known === undefined) this.#unnamed.set(key, { like: part, count: 1 });
      else known.count++;
    }
  }

  /** Takes away what a part of the other snapshot is about; `undefined` where it is the same in both. */
  take(part: Difference): Differs | undefined {
    if (part.of === 'output') return this.#takeOutputs(part);
    return part.key === undefined ? this.#takeRow(part) : this.#takeKeyed(part, part.key);
  }

  /** What is in this snapshot alone. */
  *rest(): Iterable<Difference> {
    for (const keyed of Object.values(this.#keyed)) {
      for (const before of keyed.values()) {
        const now = before.of === 'value' ? null : undefined;
        if (!sameSide(before.now, now)) yield withSides(before, before.now, now);
      }
    }
    for (const { like, count } of this.#unnamed.values()) {
      for (let i = 0; i < count; i++) yield withSides(like, like.now, undefined);
    }
    for (const before of this.#outputs.values()) {
      const changes = changed(before.changes, []);
      if (changes.length > 0) yield { ...before, changes };
    }
  }

  #takeKeyed(part: SidesDifference, key: string): Differs | undefined {
    const keyed = this.#keyed[part.of];
    const before = keyed.get(key);
    if (before === undefined) {
      const old = part.of === 'value' ? null : undefined;
      return sameSide(old, part.now) ? undefined : { difference: withSides(part, old, part.now), isNew: true };
    }
    keyed.delete(key);
    return sameSide(before.now, part.now)
      ? undefined
      : { difference: withSides(part, before.now, part.now), isNew: false };
  }

  #takeRow(part: SidesDifference): Differs | undefined {
    if (part.now === undefined) return undefined;
    const known = this.#unnamed.get(datumKey(part.now));
    if (known === undefined || known.count === 0)
      return { difference: withSides(part, undefined, part.now), isNew: true };
    known.count--;
    return undefined;
  }

  #takeOutputs(part: OutputsDifference): Differs | undefined {
    const key = part.key ?? '';
    const before = this.#outputs.get(key);
    if (before === undefined) return { difference: part, isNew: true };
    this.#outputs.delete(key);
    const changes = changed(before.changes, part.changes);
    return changes.length === 0 ? undefined : { difference: { ...part, changes }, isNew: false };
  }
}

/** How often values are outputs, against how often they were. */
function changed(before: readonly OutputChange[], after: readonly OutputChange[]): readonly OutputChange[] {
  const counts = new Map(before.map((change) => [change.key, change.after]));
  const changes: OutputChange[] = [];
  for (const change of after) {
    const known = counts.get(change.key) ?? 0;
    counts.delete(change.key);
    if (known !== change.after) changes.push({ ...change, before: known });
  }
  for (const change of before) {
    if (counts.has(change.key)) changes.push({ ...change, before: change.after, after: 0 });
  }
  return changes;
}
