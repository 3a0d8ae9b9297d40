// min and max, which differ in the end of the order that they show. Elements are `[key, row]`, or `[row]` where a row is its
// own key. Of rows with the same key the least is shown; the server shows the one it meets first.

import type { Builder } from '../reql/build/build.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import type { TermType } from '../reql/term-type.ts';
import type { Aggregate, ArrangedReading } from './aggregate.ts';
import { keyedElement } from './element.ts';
import { extremeOfNothing } from './no-value.ts';
import { Arranged } from './state/arranged.ts';
import { evaluatedOnce } from './state/evaluated-once.ts';

/** The aggregate for one end of the order. */
export function extreme(term: TermType, name: 'min' | 'max', examples: readonly string[]): Aggregate {
  return {
    term,
    name,
    growth: 'per distinct value',
    argumentIs: 'field',
    // Elements that are their own keys are equal where their keys are.
    order: (args) => (args.length === 0 ? 'none' : 'listed, ties'),
    empty: 'null',
    examples,
    project: keyedElement,
    evaluate: (t, elements) => t.nth(name === 'min' ? t.min(elements) : greatest(t, elements), -1),
    arranged: (term) => readingOf(name, term),
    accumulator: (term) => new Arranged(readingOf(name, term)),
  };
}

/** Of the elements with the greatest key the least. */
function greatest(t: Builder, elements: Term): Term {
  return evaluatedOnce(t, elements, (bag) =>
    t.do(
      (key) => {
        const others = t.func((element) => t.eq(t.nth(element, 0), key ?? null), 1);
        return t.min(t.filter(bag, others));
      },
      t.nth(t.max(bag), 0),
    ),
  );
}

/** Elements by their keys, of which an end is read. */
function readingOf(name: 'min' | 'max', { args, origin }: CallTerm): ArrangedReading {
  // Without an argument a row is its own key.
  const hasRows = args.length > 1;
  return {
    form: hasRows ? 'keyed rows' : 'keys',
    read(arrangement) {
      const end = name === 'min' ? arrangement.first : arrangement.last;
      if (end === undefined) return extremeOfNothing(name, origin);
      return hasRows ? (arrangement.firstOf(end.key)?.row ?? null) : end.key;
    },
  };
}
