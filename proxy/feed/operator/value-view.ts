// The one value of a live query. What raises an error for want of something shows as null.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type Difference, SCALAR_KEY, type SidesSubject, type Tell, withSides } from './difference.ts';
import { Listeners } from './listeners.ts';
import { type LiveValue, shown } from './operator.ts';
import type { View } from './view.ts';

/** The identity of a feed's one value. */
export const THE_VALUE: SidesSubject = { of: 'value', key: SCALAR_KEY, group: undefined };

/** A value. */
export class ValueView implements View {
  readonly #value: LiveValue;
  readonly #listeners = new Listeners();
  #seen = -1;
  #shown: Datum = null;

  constructor(value: LiveValue) {
    this.#value = value;
  }

  listen(tell: Tell): () => void {
    return this.#listeners.add(tell);
  }

  snapshot(): Iterable<Difference> {
    return [withSides(THE_VALUE, undefined, this.#shown)];
  }

  /** @throws ReqlError that the value is, other than for want of something */
  settle(): boolean {
    const { version } = this.#value;
    if (version === this.#seen) return true;
    this.#seen = version;
    const old = this.#shown;
    const now = shown(this.#value.value);
    this.#shown = now;
    if (!this.#listeners.isEmpty && !equalDatums(old, now)) this.#listeners.tell(withSides(THE_VALUE, old, now));
    return true;
  }
}
