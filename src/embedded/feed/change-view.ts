// A change to a row as all feeds of its table look at it: what several feeds compute alike is computed once.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { OutOfSteps } from '../../../rewrite/reql/meter.ts';
import type { EntriesChange, RowChange } from '../storage/table-store.ts';
import { changeDocument } from './change-document.ts';

/** The terms between a table and `changes`, as a function of one row; `undefined` when the row is filtered out. */
export interface RowTransform {
  /** Raises the error of the terms. */
  apply(row: Datum): Datum | undefined;
  /** Equal for transforms that do the same; absent when that is not known. */
  readonly key: string | undefined;
}

/** A row before and after, null for none. */
export class Projected {
  readonly old: Datum;
  readonly now: Datum;
  /** Whether nothing changed. */
  readonly trivial: boolean;
  readonly #documents = new Map<boolean, DatumObject | undefined>();

  constructor(old: Datum, now: Datum, trivial: boolean) {
    this.old = old;
    this.now = now;
    this.trivial = trivial;
  }

  /** The document of the change, one object for all feeds that show it alike. */
  document(includeTypes: boolean): DatumObject | undefined {
    if (!this.#documents.has(includeTypes)) {
      this.#documents.set(includeTypes, changeDocument(this.old, this.now, includeTypes));
    }
    return this.#documents.get(includeTypes);
  }
}

/** The key of feeds that show rows as they are. */
const WHOLE_ROWS = '';

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

  /** What happened in the index that has the name now. */
  entries(index: string): EntriesChange | undefined {
    return this.change.entries.get(index);
  }

  /** The change seen through a feed's terms. */
  project(transform: RowTransform | undefined): Projected {
    const key = transform === undefined ? WHOLE_ROWS : transform.key;
    if (key === undefined) return this.#apply(transform);
    const known = this.#projected.get(key);
    if (known !== undefined) return known;
    const projected = this.#apply(transform);
    this.#projected.set(key, projected);
    return projected;
  }

  #apply(transform: RowTransform | undefined): Projected {
    if (transform === undefined) return new Projected(this.old ?? null, this.now ?? null, false);
    const old = this.old === undefined ? null : leniently(transform, this.old);
    const now = this.now === undefined ? null : leniently(transform, this.now);
    return new Projected(old, now, equalDatums(old, now));
  }
}

/** A row on which the terms fail is as good as filtered out (changefeed.cc, apply_ops); one that takes too many steps is not. */
export function leniently(transform: RowTransform, row: Datum): Datum {
  try {
    return transform.apply(row) ?? null;
  } catch (error) {
    if (error instanceof ReqlError && !(error instanceof OutOfSteps)) return null;
    throw error;
  }
}
