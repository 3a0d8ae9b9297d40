// The orders of elements that aggregates read: one for all who read the same elements in the same order.

import type { ArrangedReading } from '../../../rewrite/aggregates/aggregate.ts';
import type { Elements, Part } from '../../../rewrite/live.ts';
import { ElementOrder } from './arranged-value.ts';
import type { Gauge } from './gauge.ts';

/** The orders of one graph. */
export class ElementOrders {
  readonly #gauge: Gauge;
  readonly #orders = new Map<string, ElementOrder>();
  /** Parts that are the same only where they are one object. */
  readonly #parts = new Map<Part, number>();

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  /** The order of elements; `attach` is called for one that is new, which takes these elements from then on. */
  of(elements: Elements, { form }: ArrangedReading, attach: (order: ElementOrder) => void): ElementOrder {
    const name = JSON.stringify([form, elements.parts.map((part) => this.#nameOf(part))]);
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    const order = new ElementOrder(form, this.#gauge);
    attach(order);
    this.#orders.set(name, order);
    return order;
  }

  /** A text for where elements come from: the same for two parts that give the same. */
  #nameOf(part: Part): string {
    switch (part.kind) {
      case 'source':
        return `source ${part.source} ${part.projection}`;
      case 'group':
        return 'group';
      case 'rows':
      case 'failing':
      case 'join':
      case 'incomparable':
        return `${part.kind} ${this.#numberOf(part)}`;
    }
  }

  #numberOf(part: Part): number {
    const number = this.#parts.get(part) ?? this.#parts.size;
    this.#parts.set(part, number);
    return number;
  }
}
