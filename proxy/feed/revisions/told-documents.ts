// Says of documents how much their client has been told with them: of each in its order, so that whoever stops after any of them can
// take the feed up there.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { Change, FeedDocument } from '../subscription/documents.ts';
import type { HistoryReader } from './history.ts';
import type { Told } from './rev.ts';

/** Of so many of the last documents, and of the last answers, it is known up to which place they told. */
const LAST = 16;

/** The record of how much one client has been told. */
export class ToldDocuments implements HistoryReader {
  #at = 0;
  #nth = 0;
  /** The places of the last documents, and those up to which all was told with the last answers. */
  #documents: number[] = [];
  #answers: number[] = [];
  /** The value that was told last, where the feed has one. */
  #value: { readonly now: Datum } | undefined;
  readonly #hasValue: boolean;

  /** `hasValue`: the feed is of one value, which each revision holds. */
  constructor(hasValue: boolean) {
    this.#hasValue = hasValue;
  }

  /** The place up to which all is told. */
  get at(): number {
    return this.#at;
  }

  /** Those of the last documents: its client may not have read the very last. */
  get places(): readonly number[] {
    return [...this.#answers, ...this.#documents];
  }

  /** An answer goes to the client, with all that has been told. */
  answered(): void {
    keepLast(this.#answers, this.#at);
  }

  /** The feed is taken up from what the client has been told: what it is told now comes after that. */
  takenUp({ at, nth }: Told): void {
    this.#at = at;
    this.#nth = nth + 1;
  }

  /** What the feed of a value has, though it is not shown. */
  holds(now: Datum): void {
    if (this.#hasValue) this.#value = { now };
  }

  /** All up to a place is told, or about to be. */
  begin(at: number): void {
    if (at <= this.#at) return;
    this.#at = at;
    this.#nth = 0;
  }

  /** A change as it came. */
  came(change: Change): Change {
    this.begin(change.at ?? this.#at);
    return this.#marked(change, 'all', this.#at);
  }

  /** Net changes from a place to another, in the order of their last changes. */
  composed(changes: readonly Change[], from: number | undefined, to: number): readonly FeedDocument[] {
    return changes.map((change, index) => {
      const isLast = index === changes.length - 1;
      this.begin(isLast ? to : (change.at ?? to));
      const some = from === undefined ? ('part' as const) : { from, to };
      return this.#marked(change, isLast ? 'all' : some, this.#at);
    });
  }

  /** What was there at first, and states. */
  opened(documents: readonly FeedDocument[], isComplete: boolean): readonly FeedDocument[] {
    return documents.map((document, index) => {
      const isAll = isComplete && (document.kind === 'state' || index === documents.length - 1);
      return this.#marked(document, isAll ? 'all' : 'part', this.#at);
    });
  }

  #marked<Of extends FeedDocument>(document: Of, extent: Told['extent'], at: number): Of {
    const now = document.kind === 'change' || document.kind === 'initial' ? document.now : undefined;
    if (this.#hasValue && now !== undefined) this.#value = { now };
    const told: Told = { at, nth: this.#nth, extent };
    this.#nth++;
    if (typeof extent === 'object') {
      keepLast(this.#documents, extent.from);
      keepLast(this.#documents, extent.to);
    } else {
      keepLast(this.#documents, at);
    }
    return { ...document, told, value: this.#value };
  }
}

function keepLast(places: number[], place: number): void {
  if (places.at(-1) === place) return;
  places.push(place);
  if (places.length > LAST) places.shift();
}
