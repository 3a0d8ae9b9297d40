// One change to a row as all feeds of its table look at it: what several feeds compute alike is computed once.

import { equalDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { SecondaryIndex } from '../storage/secondary-index.ts';
import type { EntriesChange, RowChange } from '../storage/table-store.ts';

/** The terms between a table and `changes`, as a function of one row; `undefined` when the row is filtered out. */
export interface RowTransform {
  /** Raises the error of the terms. */
  apply(row: Datum): Datum | undefined;
  /** Equal for transforms that do the same; absent when that is not known. */
  readonly key: string | undefined;
}

/** A row before and after, null for none. */
export interface Projected {
  readonly old: Datum;
  readonly now: Datum;
  /** Whether nothing changed. */
  readonly trivial: boolean;
}

export class ChangeView {
  readonly change: RowChange;
  readonly #projected = new Map<string, Projected>();

  constructor(change: RowChange) {
    this.change = change;
  }

  get old(): DatumObject | undefined {
    return this.change.old?.value;
  }

  get now(): DatumObject | undefined {
    return this.change.now?.value;
  }

  entries(index: SecondaryIndex): EntriesChange | undefined {
    return this.change.entries.get(index);
  }

  /** The change seen through a feed's terms. */
  project(transform: RowTransform | undefined): Projected {
    if (transform === undefined) return { old: this.old ?? null, now: this.now ?? null, trivial: false };
    const { key } = transform;
    if (key === undefined) return this.#apply(transform);
    const known = this.#projected.get(key);
    if (known !== undefined) return known;
    const projected = this.#apply(transform);
    this.#projected.set(key, projected);
    return projected;
  }

  #apply(transform: RowTransform): Projected {
    const old = this.old === undefined ? null : leniently(transform, this.old);
    const now = this.now === undefined ? null : leniently(transform, this.now);
    return { old, now, trivial: equalDatums(old, now) };
  }
}

/** A row on which the terms fail is as good as filtered out (changefeed.cc, apply_ops). */
export function leniently(transform: RowTransform, row: Datum): Datum {
  try {
    return transform.apply(row) ?? null;
  } catch (error) {
    if (error instanceof ReqlError) return null;
    throw error;
  }
}
