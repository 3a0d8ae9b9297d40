// Makes many documents few: for each thing that they tell of, the first old value and the last new one, and nothing
// where the two are equal.

import type { Datum } from '../../rewrite/reql/datum.ts';
import { datumKey } from '../../rewrite/reql/datum-key.ts';
import { type ChangeDocument, type FeedDocument, type InitialDocument, sameSide } from './documents.ts';
import { composeOutputs } from './output-documents.ts';

/** Which documents may take in later ones: only changes, or initial values too (as if they had been read later). */
export type Composable = 'changes' | 'all';

type Composed = InitialDocument | ChangeDocument;

function isComposed(document: FeedDocument): document is Composed {
  return document.kind === 'initial' || document.kind === 'change';
}

/** A place in the list under construction. Documents that cancel leave it empty. */
interface Slot {
  document: FeedDocument | undefined;
}

/** The same story in as few documents as there are things that it tells of. States keep their places. */
export function compose(documents: readonly FeedDocument[], composable: Composable): FeedDocument[] {
  if (documents.some(({ kind }) => kind === 'outputs')) return composeOutputs(documents, composable === 'changes');
  const slots: Slot[] = [];
  const byKey = new Map<string, Slot>();
  const rows = new RowSlots();
  for (const document of documents) {
    const slot: Slot = { document };
    if (!isComposed(document) || (document.kind === 'initial' && composable === 'changes')) {
      slots.push(slot);
    } else if (document.key === undefined) {
      if (!rows.take(document)) {
        slots.push(slot);
        rows.add(slot, document);
      }
    } else {
      const before = byKey.get(document.key);
      if (before?.document === undefined || !isComposed(before.document) || document.kind === 'initial') {
        slots.push(slot);
        byKey.set(document.key, slot);
      } else {
        before.document = joined(before.document, document);
      }
    }
  }
  return slots.flatMap(({ document }) => (document === undefined ? [] : [document]));
}

function joined(before: Composed, { now }: ChangeDocument): Composed | undefined {
  if (before.kind === 'initial') return now === undefined ? undefined : { ...before, now };
  return sameSide(before.old, now) ? undefined : { ...before, now };
}

/** Documents of rows that are known by their value alone: one that ends with a row takes in the one that begins with it. */
class RowSlots {
  readonly #ending = new Map<string, Slot[]>();
  readonly #gone = new Map<string, Slot[]>();

  /** Joins a document to one before it; false where there is none that it follows on. */
  take(document: Composed): boolean {
    if (document.kind === 'initial') return false;
    if (document.old === undefined) return this.#undo(document.now);
    const slot = this.#ending.get(datumKey(document.old))?.pop();
    const before = slot?.document;
    if (slot === undefined || before === undefined || !isComposed(before)) return false;
    slot.document = joined(before, document);
    if (slot.document !== undefined) this.add(slot, slot.document);
    return true;
  }

  add(slot: Slot, document: FeedDocument): void {
    if (!isComposed(document)) return;
    if (document.now !== undefined) push(this.#ending, document.now, slot);
    else if (document.kind === 'change' && document.old !== undefined) push(this.#gone, document.old, slot);
  }

  /** A row that went comes again: as if nothing had been. */
  #undo(row: Datum | undefined): boolean {
    const slot = row === undefined ? undefined : this.#gone.get(datumKey(row))?.pop();
    if (slot === undefined) return false;
    slot.document = undefined;
    return true;
  }
}

function push(slots: Map<string, Slot[]>, row: Datum, slot: Slot): void {
  const key = datumKey(row);
  const list = slots.get(key);
  if (list === undefined) slots.set(key, [slot]);
  else list.push(slot);
}
