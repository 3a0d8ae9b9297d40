// The documents of a feed, as things that can still be composed, and as the JSON that a client gets.

import { type Datum, type DatumObject, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import { knownText } from '../../../rewrite/reql/data/known-text.ts';
import { roughBytes } from '../../memory/datum-bytes.ts';
import {
  type Difference,
  type Identity,
  type OutputChange,
  SCALAR_KEY,
  type SidesDifference,
  sameSide,
  type ValueSubject,
} from '../operator/difference.ts';
import type { Told } from '../revisions/rev.ts';
import { outputBytes, outputDatum, outputDocuments, outputType } from './output-documents.ts';

/**
 * How far a feed is with its initial values; that what it shows is being read again, and has been; that nothing has changed for
 * a while and RethinkDB is there.
 */
export type FeedState = 'initializing' | 'ready' | 'healing' | 'healed' | 'alive';

/** The mark of a document that says how much its client has been told with it, where the client wants to know. */
export interface Marked {
  readonly told?: Told;
  /** The value that was told last, of a feed of one value. */
  readonly value?: { readonly now: Datum } | undefined;
}

/** `{state}`. */
export interface StateDocument extends Marked {
  readonly kind: 'state';
  readonly state: FeedState;
}

/** `{new_val}`: a value, a group or a row that was there when the feed opened. */
export interface InitialDocument extends Identity, Marked {
  readonly kind: 'initial';
  readonly of: ValueSubject;
  /** `undefined` for the one row of a feed that is not there. */
  readonly now: Datum | undefined;
  /** What names the row, where that is told. */
  readonly id?: Datum;
  /** Its place in an order, where that is told. */
  readonly offsets?: Offsets;
}

/**
 * `{old_val, new_val}`. A side is `undefined` where the group or the row is not there; the document says null, and leaves
 * the key out where the other side is null itself. The one value of a feed is always there: no value is null.
 */
export interface ChangeDocument extends SidesDifference, Marked {
  readonly kind: 'change';
  /** Its place in the history of the share, where there is one. */
  readonly at?: number;
  /** What names the row, where that is told. */
  readonly id?: Datum;
  /** Which of the rows that are equal it is, on either side, where that is counted. */
  readonly copies?: Copies;
  /** Its places in an order, where they are told. */
  readonly offsets?: Offsets;
}

/** `old_offset` and `new_offset`. */
export interface Offsets {
  readonly old: Datum | undefined;
  readonly now: Datum | undefined;
}

/** Places among equal rows, counted from 1. */
export interface Copies {
  readonly old: number;
  readonly now: number;
}

/** `{value, count}`, or `{old_val, new_val}` where one value takes the place of another: outputs of a reducer. */
export interface OutputsDocument extends Identity, Marked {
  readonly kind: 'outputs';
  /** Its place in the history of the share, where there is one. */
  readonly at?: number;
  /** It tells of what was there when the feed opened. */
  readonly initial: boolean;
  readonly changed: readonly [OutputChange] | readonly [gone: OutputChange, come: OutputChange];
}

/** A document of a feed. */
export type FeedDocument = StateDocument | InitialDocument | ChangeDocument | OutputsDocument;

/** A document that tells of a change, rather than of a state or of what was there at first. */
export type Change = ChangeDocument | OutputsDocument;

/** The documents that tell a client of a difference from what it has been shown. */
export function changeDocuments(difference: Difference): readonly Change[] {
  if (difference.of !== 'output') {
    // Written out and not spread, as `withSides` does.
    const { of, key, group, old, now } = difference;
    return [{ kind: 'change', of, key, group, old, now }];
  }
  const { key, group, changes } = difference;
  return outputDocuments({ key, group }, changes, false);
}

/** The documents that show a client a part of a snapshot, before which it has been shown nothing. */
export function initialDocuments(difference: Difference): readonly FeedDocument[] {
  const { of, key, group } = difference;
  if (of === 'output') return outputDocuments({ key, group }, difference.changes, true);
  const { now } = difference;
  return now === undefined ? [] : [{ kind: 'initial', of, key, group, now }];
}

/** Whether a document tells of a change. */
export function isChange(document: FeedDocument): document is Change {
  return document.kind === 'change' || (document.kind === 'outputs' && !document.initial);
}

/** What a document is beside its data. */
const DOCUMENT = 96;

/** Bytes that a document takes, estimated. */
export function documentBytes(document: FeedDocument): number {
  switch (document.kind) {
    case 'state':
      return DOCUMENT;
    case 'initial':
      return DOCUMENT + roughBytes(document.now ?? null);
    case 'change':
      return DOCUMENT + roughBytes(document.old ?? null) + roughBytes(document.now ?? null);
    case 'outputs':
      return DOCUMENT + outputBytes(document.changed);
  }
}

/** The document as JSON, keys in the server's order (`group`, `new_val`, `old_val`, `state`, `type`). */
export function documentText(document: FeedDocument, includeTypes: boolean): string {
  const type = includeTypes ? `,"type":"${documentType(document)}"` : '';
  if (document.kind === 'state') return `{"state":"${document.state}"${type}}`;
  if (document.kind === 'outputs') return jsonText(documentDatum(document, includeTypes));
  const fields: string[] = [];
  if (document.group !== undefined) fields.push(`"group":${jsonText(document.group)}`);
  const { newVal, oldVal } = sidesOf(document);
  if (newVal !== undefined) fields.push(`"new_val":${sideText(newVal)}`);
  if (oldVal !== undefined) fields.push(`"old_val":${sideText(oldVal)}`);
  return `{${fields.join()}${type}}`;
}

/** What is large may have been written already. */
function sideText(side: Datum): string {
  const known = typeof side === 'object' && side !== null ? knownText(side) : undefined;
  return known ?? jsonText(side);
}

/** The data of a document that can be large. */
export function sidesIn(document: FeedDocument): readonly Datum[] {
  if (document.kind === 'state') return [];
  if (document.kind === 'outputs') return document.changed.map(({ value }) => value);
  const { newVal = null, oldVal = null } = sidesOf(document);
  return [newVal, oldVal];
}

/** The document as a datum, for the terms after `changes`. */
export function documentDatum(document: FeedDocument, includeTypes: boolean): DatumObject {
  const type = includeTypes ? { type: documentType(document) } : {};
  if (document.kind === 'state') return { state: document.state, ...type };
  if (document.kind === 'outputs') return { ...outputDatum(document), ...type };
  const group = document.group === undefined ? {} : { group: document.group };
  const { newVal, oldVal } = sidesOf(document);
  const now = newVal === undefined ? {} : { new_val: newVal };
  const old = oldVal === undefined ? {} : { old_val: oldVal };
  return { ...group, ...now, ...old, ...type };
}

/** What a document says under `new_val` and `old_val`; `undefined` for a key that it leaves out. */
interface Sides {
  readonly newVal: Datum | undefined;
  readonly oldVal: Datum | undefined;
}

function sidesOf(document: InitialDocument | ChangeDocument): Sides {
  if (document.kind === 'initial') return { newVal: document.now, oldVal: undefined };
  const { old, now } = document;
  const nullComes = old === undefined && now === null;
  const nullGoes = old === null && now === undefined;
  return { newVal: nullGoes ? undefined : (now ?? null), oldVal: nullComes ? undefined : (old ?? null) };
}

/** The `type` under `include_types` (changefeed.cc). */
export function documentType(document: FeedDocument): string {
  if (document.kind === 'outputs') return outputType(document);
  return document.kind === 'change' ? typeOfChange(document) : document.kind;
}

function typeOfChange({ of, old, now }: ChangeDocument): string {
  if (!isThere[of](old)) return 'add';
  return isThere[of](now) ? 'change' : 'remove';
}

/** Whether a side of a change is something that is there. */
const isThere: { readonly [Of in ValueSubject]: (side: Datum | undefined) => boolean } = {
  value: (side) => side !== undefined && side !== null,
  group: (side) => side !== undefined,
  row: (side) => side !== undefined,
};

/** The reader of the documents of a fold inside RethinkDB. */
export interface DocumentReader {
  readonly of: ValueSubject;
  /** The key of a document. */
  keyOf(group: Datum | undefined, row: Datum): string | undefined;
}

/**
 * Reads a document that a fold inside RethinkDB made; `undefined` for what is none. Documents of groups and rows have to
 * carry their types: they tell what is null from what is not there.
 */
export function readDocument(datum: Datum, reader: DocumentReader): FeedDocument | undefined {
  if (!isObject(datum)) return undefined;
  // Where there are no groups, something may stand for the whole answer.
  const ofWhole = reader.of === 'group' && getField(datum, 'group') === undefined;
  const { of, keyOf } = ofWhole ? THE_VALUE : reader;
  const state = getField(datum, 'state');
  if (state === 'initializing' || state === 'ready') return { kind: 'state', state };
  const newVal = getField(datum, 'new_val');
  const oldVal = getField(datum, 'old_val');
  const type = getField(datum, 'type');
  const group = getField(datum, 'group');
  if (newVal === undefined && oldVal === undefined) return undefined;
  const key = keyOf(group, newVal ?? oldVal ?? null);
  if (newVal !== undefined && (type === 'initial' || (of === 'value' && oldVal === undefined))) {
    return { kind: 'initial', of, key, group, now: newVal };
  }
  const old = type === 'add' && of !== 'value' ? undefined : oldVal;
  const now = type === 'remove' && of !== 'value' ? undefined : newVal;
  return sameSide(old, now) ? undefined : { kind: 'change', of, key, group, old, now };
}

const THE_VALUE: DocumentReader = { of: 'value', keyOf: () => SCALAR_KEY };
