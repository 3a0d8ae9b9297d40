// Makes many changes few as they come: for each thing that they tell of, the first old value and the last new one, and
// nothing where the two are equal. What it holds is bounded by the things that have changed, however often they do.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import { sameSide } from '../operator/difference.ts';
import { type Change, type ChangeDocument, documentBytes } from './documents.ts';
import { ComposedOutputs } from './output-documents.ts';

/** What is told of one thing. */
type Told = ChangeDocument | ComposedOutputs;

/** A place in the order in which things are told of: that of their first change. */
interface Place {
  told: Told;
  bytes: number;
  isOpen: boolean;
}

/** Places that were taken may stay in the lists of rows, as long as they are few beside those that wait. */
const FEW = 1000;

/** Changes, composed. */
export class Composer {
  readonly #places = new Set<Place>();
  /** Where the first place is. To look from the start of a set is to walk over all that was taken before (V8). */
  #walk: Iterator<Place> | undefined;
  readonly #byKey = new Map<string, Place>();
  /** Rows that are known by their value alone, by the value that their change ends with. */
  readonly #ending = new Map<string, Place[]>();
  /** Such rows that have gone, by the value that they had. */
  readonly #gone = new Map<string, Place[]>();
  /** Places in the lists that have been taken. */
  #stale = 0;
  #bytes = 0;

  /** How many things there is something to tell of. */
  get size(): number {
    return this.#places.size;
  }

  /** Bytes that it holds, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  add(document: Change): void {
    if (document.kind === 'outputs') {
      const key = document.key ?? '';
      const place = this.#byKey.get(key) ?? this.#open(key, new ComposedOutputs(document));
      if (!(place.told instanceof ComposedOutputs)) throw new TypeError('outputs among other changes');
      place.told.add(document.changed, document.at);
      this.#weigh(place, place.told.bytes);
      if (place.told.isEmpty) this.#close(place);
    } else if (document.key === undefined) {
      this.#addRow(document);
    } else {
      const place = this.#byKey.get(document.key);
      if (place === undefined) this.#open(document.key, document);
      else this.#join(place, document);
    }
  }

  /** Takes out what is told of first; no documents where there is nothing to tell. */
  take(): readonly Change[] {
    const place = this.#first();
    if (place === undefined) return [];
    this.#close(place);
    this.#forgetRow(place);
    return place.told instanceof ComposedOutputs ? place.told.documents() : [place.told];
  }

  clear(): void {
    this.#places.clear();
    this.#walk = undefined;
    this.#byKey.clear();
    this.#ending.clear();
    this.#gone.clear();
    this.#stale = 0;
    this.#bytes = 0;
  }

  /** The first place that is still there; callers owe to close it. */
  #first(): Place | undefined {
    this.#walk ??= this.#places.values();
    const { value } = this.#walk.next();
    if (value === undefined) this.#walk = undefined;
    return value;
  }

  /** A row: one that ends with a value takes in the change that begins with it, and one that comes undoes its going. */
  #addRow(document: ChangeDocument): void {
    if (document.old !== undefined) {
      const before = this.#pop(this.#ending, document.old);
      if (before === undefined) this.#open(undefined, document);
      else this.#join(before, document);
      return;
    }
    const gone = document.now === undefined ? undefined : this.#pop(this.#gone, document.now);
    if (gone === undefined) this.#open(undefined, document);
    else this.#close(gone);
  }

  #join(place: Place, { now, offsets, at }: ChangeDocument): void {
    const before = place.told;
    if (before instanceof ComposedOutputs) throw new TypeError('a change among outputs');
    if (sameSide(before.old, now)) {
      this.#close(place);
      return;
    }
    const moved = offsets === undefined ? {} : { offsets: { old: before.offsets?.old, now: offsets.now } };
    const joined: ChangeDocument = { ...before, now, ...moved, ...(at === undefined ? {} : { at }) };
    place.told = joined;
    this.#weigh(place, documentBytes(joined));
    if (joined.key === undefined) this.#list(joined, place);
  }

  #open(key: string | undefined, told: Told): Place {
    const place: Place = { told, bytes: 0, isOpen: true };
    this.#places.add(place);
    this.#weigh(place, told instanceof ComposedOutputs ? told.bytes : documentBytes(told));
    if (key !== undefined) this.#byKey.set(key, place);
    else if (!(told instanceof ComposedOutputs)) this.#list(told, place);
    return place;
  }

  #list({ old, now }: ChangeDocument, place: Place): void {
    if (now !== undefined) push(this.#ending, now, place);
    else if (old !== undefined) push(this.#gone, old, place);
  }

  #close(place: Place): void {
    this.#places.delete(place);
    place.isOpen = false;
    this.#bytes -= place.bytes;
    const { told } = place;
    if (told instanceof ComposedOutputs || told.key !== undefined) this.#byKey.delete(told.key ?? '');
  }

  /** A row that has been taken is in a list still. */
  #forgetRow({ told }: Place): void {
    if (told instanceof ComposedOutputs || told.key !== undefined) return;
    this.#stale++;
    if (this.#stale <= this.#places.size + FEW) return;
    this.#stale = 0;
    this.#ending.clear();
    this.#gone.clear();
    for (const place of this.#places) {
      if (!(place.told instanceof ComposedOutputs)) this.#list(place.told, place);
    }
  }

  /** Takes out the place of such a row that was listed last. */
  #pop(lists: Map<string, Place[]>, row: Datum): Place | undefined {
    const key = datumKey(row);
    const list = lists.get(key);
    let place = list?.pop();
    for (; place?.isOpen === false; place = list?.pop()) this.#stale--;
    if (list?.length === 0) lists.delete(key);
    return place;
  }

  #weigh(place: Place, bytes: number): void {
    this.#bytes += bytes - place.bytes;
    place.bytes = bytes;
  }
}

function push(lists: Map<string, Place[]>, row: Datum, place: Place): void {
  const key = datumKey(row);
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [place]);
  else list.push(place);
}
