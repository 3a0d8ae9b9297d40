// Data as the JSON of responses. Stored rows never change, so their text is made once and kept as long as the row.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';

/** Turns data into JSON text, remembering the texts of objects it has seen. */
export class RowJson {
  readonly #texts = new WeakMap<object, string>();

  of(datum: Datum): string {
    if (typeof datum !== 'object' || datum === null) return jsonText(datum);
    const known = this.#texts.get(datum);
    if (known !== undefined) return known;
    const text = jsonText(datum);
    this.#texts.set(datum, text);
    return text;
  }
}
