// Texts of queries that shares carry. A program sends one text many times: who sends one that is carried already has it neither read
// nor taken apart again, and keeps no settings of his own.

import type { QueryText } from '../../relay/query-text.ts';
import type { SubscriptionSettings } from '../subscription/subscription.ts';

/** The knowledge of one text. */
export interface KnownText<Carrier> {
  readonly carrier: Carrier;
  readonly subscription: SubscriptionSettings;
  /** The query as logs print it. */
  readonly text: QueryText;
}

/** So many texts of one share are known, and none that is longer than this. */
const MOST_TEXTS = 100;
const MOST_LENGTH = 16 * 1024;

/** The texts of all shares, for as long as each is carried. */
export class KnownTexts<Carrier extends object> {
  readonly #known = new Map<string, KnownText<Carrier>>();
  readonly #texts = new Map<Carrier, string[]>();

  get(text: string): KnownText<Carrier> | undefined {
    return this.#known.get(text);
  }

  add(text: string, known: KnownText<Carrier>): void {
    const texts = this.#texts.get(known.carrier) ?? [];
    if (this.#known.has(text) || text.length > MOST_LENGTH || texts.length === MOST_TEXTS) return;
    this.#known.set(text, known);
    texts.push(text);
    this.#texts.set(known.carrier, texts);
  }

  /** The share is joined no more. */
  remove(carrier: Carrier): void {
    for (const text of this.#texts.get(carrier) ?? []) this.#known.delete(text);
    this.#texts.delete(carrier);
  }
}
