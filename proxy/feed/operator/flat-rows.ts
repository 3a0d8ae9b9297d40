// The items of a live array, as rows. Two arrays are compared item by item: what is the same in both is told to nobody.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import { typedError, typeName } from '../../../rewrite/reql/data/data-type.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { Turn } from '../../work/turn.ts';
import { type LiveRow, type LiveRows, type LiveValue, NONE, type Operator, type RowSink, shown } from './operator.ts';
import { Rest, type Steps } from './steps.ts';

/** Items of an array as rows. */
export class FlatRows implements LiveRows, Operator {
  readonly sinks: RowSink[] = [];
  readonly #value: LiveValue;
  readonly #rest = new Rest();
  #seen = -1;
  #rows = NONE;

  constructor(value: LiveValue) {
    this.#value = value;
  }

  *rows(): Iterable<LiveRow> {
    for (const row of this.#rows) yield [row, undefined];
  }

  settle(turn: Turn): boolean {
    return this.#value.version === this.#seen || this.#rest.go(turn, () => this.#settle());
  }

  /** Where the arrays differ, an item too few or too many is looked for first: most changes are no more. */
  *#settle(): Steps {
    const [old, now] = [this.#rows, rowsOf(shown(this.#value.value))];
    let [i, j] = [0, 0];
    while (i < old.length || j < now.length) {
      if (same(old[i], now[j])) {
        i++;
        j++;
      } else if (same(old[i + 1], now[j]) || j >= now.length) {
        this.#tell(old[i++], undefined);
      } else if (same(old[i], now[j + 1]) || i >= old.length) {
        this.#tell(undefined, now[j++]);
      } else {
        this.#tell(old[i++], undefined);
        this.#tell(undefined, now[j++]);
      }
      yield;
    }
    this.#rows = now;
    this.#seen = this.#value.version;
  }

  #tell(old: Datum | undefined, now: Datum | undefined): void {
    for (const sink of this.sinks) sink.row(old, now, undefined);
  }
}

function same(a: Datum | undefined, b: Datum | undefined): boolean {
  return a !== undefined && b !== undefined && (a === b || equalDatums(a, b));
}

function rowsOf(datum: Datum): readonly Datum[] {
  if (isArray(datum)) return datum;
  if (datum === null) return NONE;
  throw typedError(datum, `Cannot convert ${typeName(datum)} to SEQUENCE`);
}

function isArray(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
