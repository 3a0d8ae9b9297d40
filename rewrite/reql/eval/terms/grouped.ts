// Groups: data by group, in the order of the groups; and streams whose elements go to groups when they are read.

import { compareDatums } from '../../data/compare.ts';
import type { Datum } from '../../data/datum.ts';
import { datumKey } from '../../data/datum-key.ts';
import { logicError, resourceLimit } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import { type Origin, ROOT } from '../../origin.ts';
import { NonDatum } from '../core/value.ts';
import { passThrough, Stream } from '../streams/stream.ts';
import type { Transform } from '../streams/transform.ts';

/** A group and what belongs to it. */
export type Group = readonly [group: Datum, reduction: Datum];

/** GROUPED_DATA: a value per group, ordered by group. */
export class GroupedData extends NonDatum {
  readonly type = 'GROUPED_DATA';
  readonly typeOf = 'GROUPED_DATA';
  readonly groups: readonly Group[];
  readonly #meter: Meter;

  /** `groups` in any order; each group once. */
  constructor(groups: readonly Group[], meter: Meter) {
    super();
    this.#meter = meter;
    meter.spend(2 * groups.length);
    this.groups = groups.toSorted(([a], [b]) => compareDatums(a, b, meter));
  }

  /** The same groups with other values. */
  map(change: (reduction: Datum) => Datum): GroupedData {
    return new GroupedData(
      this.groups.map(([group, reduction]) => [group, change(reduction)]),
      this.#meter,
    );
  }

  /** The form that a client gets. */
  toClient(): Datum {
    return { $reql_type$: 'GROUPED_DATA', data: this.groups.map(([group, reduction]) => [group, reduction]) };
  }
}

/** Tells the groups of an element; several with `multi`. */
export type GroupsOf = (element: Datum) => readonly Datum[];

/** The output of `group` before it is read: a source, the groups of its elements, and what happens to them on the way. */
export class GroupedStream extends Stream {
  readonly source: Stream;
  readonly groupsOf: GroupsOf;
  readonly transforms: readonly Transform[];
  readonly arrayLimit: number;

  constructor(
    source: Stream,
    groupsOf: GroupsOf,
    arrayLimit: number,
    origin: Origin | undefined,
    transforms: readonly Transform[] = [],
  ) {
    super(transforms.at(-1)?.origin ?? origin, source.meter);
    this.source = source;
    this.groupsOf = groupsOf;
    this.arrayLimit = arrayLimit;
    this.transforms = transforms;
  }

  override get grouped(): boolean {
    return true;
  }

  override get infinite(): boolean {
    return this.source.infinite;
  }

  override exhausted(): boolean {
    return this.source.exhausted();
  }

  override transform(transform: Transform): Stream {
    const transforms = [...this.transforms, transform];
    return new GroupedStream(this.source, this.groupsOf, this.arrayLimit, this.origin, transforms);
  }

  batch(): readonly Datum[] {
    throw logicError('Cannot treat the output of `group` as a stream (did you mean to `ungroup`?).', this.origin);
  }

  /**
   * Reads all elements and visits those of each batch group by group, in the order of the groups. Like the server, it runs
   * each transformation over all groups of a batch before the next, which shows in the error that comes first.
   */
  forEach(visit: (group: Datum, element: Datum) => void): void {
    this.source.accumulate((batch) => {
      let groups = this.#grouped(batch);
      for (const transform of this.transforms) {
        groups = groups.flatMap(([group, elements]) => {
          const made = passThrough([transform], elements);
          return made.length === 0 ? [] : [[group, made] as const];
        });
      }
      for (const [group, elements] of groups) {
        for (const element of elements) visit(group, element);
      }
    }, this.origin);
  }

  #grouped(batch: readonly Datum[]): readonly (readonly [Datum, readonly Datum[]])[] {
    const groups = new GroupMap<Datum[]>(this.meter);
    for (const row of batch) {
      for (const group of this.groupsOf(row)) groups.at(group, () => []).push(row);
    }
    return groups.entries().toSorted(([a], [b]) => compareDatums(a, b, this.meter));
  }

  /** Reads all elements into an array per group. */
  toGroups(): GroupedData {
    const groups = new GroupMap<Datum[]>(this.meter);
    let size = 0;
    this.forEach((group, element) => {
      size += 1;
      if (size > this.arrayLimit) {
        throw resourceLimit(
          `Grouped data over size limit \`${this.arrayLimit}\`.  Try putting a reduction (like \`.reduce\` or \`.count\`) on the end.`,
          ROOT,
        );
      }
      groups.at(group, () => []).push(element);
    });
    return new GroupedData(groups.entries(), this.meter);
  }
}

/** Things by group: groups that are equal data are one. */
export class GroupMap<Thing> {
  readonly #things = new Map<string, readonly [Datum, Thing]>();
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  get size(): number {
    return this.#things.size;
  }

  /** What belongs to a group; made where there is nothing yet. */
  at(group: Datum, make: () => Thing): Thing {
    const key = datumKey(group, this.#meter);
    const found = this.#things.get(key);
    if (found !== undefined) return found[1];
    const thing = make();
    this.#things.set(key, [group, thing]);
    return thing;
  }

  /** What belongs to a group, if anything. */
  get(group: Datum): Thing | undefined {
    return this.#things.get(datumKey(group, this.#meter))?.[1];
  }

  /** All groups, in the order they came. */
  entries(): readonly (readonly [Datum, Thing])[] {
    return [...this.#things.values()];
  }
}
