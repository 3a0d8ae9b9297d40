// The operators of a live query without its feed: rows of tables in, differences out, settled in turns of any length.

import { StateGauge } from '../../../proxy/feed/operator/gauge.ts';
import type { View } from '../../../proxy/feed/operator/view.ts';
import { ElementFold } from '../../../proxy/feed/source/element-fold.ts';
import { type Turn, WHOLE_TURN } from '../../../proxy/work/turn.ts';
import { recognize } from '../../../rewrite/recognize.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { createContext, pureTerms } from '../../../rewrite/reql/eval/index.ts';
import { parseQuery } from '../../../rewrite/reql/term/parse.ts';
import { queryOfText } from '../../../src/command/query-of-text.ts';
import { type ElementUpstream, proxyUpstream } from './element-upstream.ts';

/** A live query over the tables `t` and `u`, as its operators see it. */
export class OpenedView {
  readonly view: View;
  /** Counts how often work was left and taken up again. */
  turns = 0;
  readonly gauge = new StateGauge({ maxStateRows: 1e9, maxStateBytes: 1e12 }, { addState() {} });
  readonly #fold: ElementFold;
  readonly #upstream: ElementUpstream;
  readonly #tables = { t: new Map<number, DatumObject>(), u: new Map<number, DatumObject>() };

  /** `text`: the query in JavaScript, up to and with its `changes`. */
  constructor(text: string) {
    const body = queryOfText(text);
    const parsed = parseQuery(body);
    const recognized = 'term' in parsed ? recognize(parsed) : undefined;
    if (recognized?.kind !== 'live') throw new Error(`${text} is not live`);
    const context = createContext({ terms: pureTerms });
    this.#fold = new ElementFold(recognized.live, { context, gauge: this.gauge });
    this.view = this.#fold.view;
    this.#upstream = proxyUpstream(body);
  }

  /** Writes a row, or deletes it, without settling. */
  write(table: 't' | 'u', id: number, row: DatumObject | undefined): this {
    const rows = this.#tables[table];
    const old = rows.get(id);
    const now = row === undefined ? undefined : { ...row, id };
    if (now === undefined) rows.delete(id);
    else rows.set(id, now);
    for (const document of this.#upstream.change(table, old, now)) {
      this.#fold.inputs.change(sideOf(document, 'old_val'), sideOf(document, 'new_val'));
    }
    return this;
  }

  /** Settles in as many turns as it takes. */
  settle(turn: Turn = WHOLE_TURN): this {
    while (!this.#fold.settle(turn)) this.turns++;
    return this;
  }
}

function sideOf(document: Datum, side: string): Datum {
  return isObject(document) ? (getField(document, side) ?? null) : null;
}
