// What differs between two snapshots of one live query: one difference for each thing, so that whoever was shown the first is
// shown the second.

import { datumKey } from '../../rewrite/reql/data/datum-key.ts';
import {
  type Difference,
  type OutputChange,
  type OutputsDifference,
  type SidesDifference,
  sameSide,
} from './operator/difference.ts';

/** The differences that lead from one snapshot to the other. */
export function* differences(before: Iterable<Difference>, after: Iterable<Difference>): Iterable<Difference> {
  const old = new Snapshot(before);
  const now = new Snapshot(after);
  yield* keyed(old, now);
  yield* unnamed(old, now);
  yield* outputs(old, now);
}

/** A row that is known by its value alone, with how often it is there. */
interface Counted {
  readonly like: SidesDifference;
  count: number;
}

/** The parts of a snapshot, by what they are about. */
class Snapshot {
  readonly keyed = new Map<string, SidesDifference>();
  readonly unnamed = new Map<string, Counted>();
  readonly outputs = new Map<string, OutputsDifference>();

  constructor(parts: Iterable<Difference>) {
    for (const part of parts) this.#add(part);
  }

  #add(part: Difference): void {
    if (part.of === 'output') {
      this.outputs.set(part.key ?? '', part);
    } else if (part.key !== undefined) {
      this.keyed.set(`${part.of} ${part.key}`, part);
    } else if (part.now !== undefined) {
      const key = datumKey(part.now);
      const known = this.unnamed.get(key);
      if (known === undefined) this.unnamed.set(key, { like: part, count: 1 });
      else known.count++;
    }
  }
}

function* keyed(old: Snapshot, now: Snapshot): Iterable<Difference> {
  for (const [key, before] of old.keyed) {
    const after = now.keyed.get(key);
    const side = after === undefined && before.of === 'value' ? null : after?.now;
    if (!sameSide(before.now, side)) yield { ...before, old: before.now, now: side };
  }
  for (const [key, after] of now.keyed) {
    if (old.keyed.has(key)) continue;
    yield { ...after, old: after.of === 'value' ? null : undefined };
  }
}

function* unnamed(old: Snapshot, now: Snapshot): Iterable<Difference> {
  for (const [key, { like, count }] of old.unnamed) {
    const gone = count - (now.unnamed.get(key)?.count ?? 0);
    for (let i = 0; i < gone; i++) yield { ...like, old: like.now, now: undefined };
  }
  for (const [key, { like, count }] of now.unnamed) {
    const come = count - (old.unnamed.get(key)?.count ?? 0);
    for (let i = 0; i < come; i++) yield { ...like, old: undefined };
  }
}

function* outputs(old: Snapshot, now: Snapshot): Iterable<Difference> {
  for (const [key, before] of old.outputs) {
    const changes = changed(before.changes, now.outputs.get(key)?.changes ?? []);
    if (changes.length > 0) yield { ...before, changes };
  }
  for (const [key, after] of now.outputs) if (!old.outputs.has(key)) yield after;
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
