// The documents of a feed, as things that can still be composed, and as the JSON that a client gets.

import { equalDatums } from '../../rewrite/reql/compare.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../rewrite/reql/datum.ts';
import { jsonText } from '../../rewrite/reql/json-text.ts';
import { type OutputChange, outputDatum, outputType } from './output-documents.ts';

/** How far a feed is with its initial values. */
export type FeedState = 'initializing' | 'ready';

/** `{state}`. */
export interface StateDocument {
  readonly kind: 'state';
  readonly state: FeedState;
}

/** `{new_val}`: a value, a group or a row that was there when the feed opened. */
export interface InitialDocument extends Identity {
  readonly kind: 'initial';
  readonly newVal: Datum;
}

/** `{old_val, new_val}`. Null stands for what is not there. */
export interface ChangeDocument extends Identity {
  readonly kind: 'change';
  readonly oldVal: Datum;
  readonly newVal: Datum;
}

/** `{value, count}`, or `{old_val, new_val}` where one value takes the place of another: outputs of a reducer. */
export interface OutputsDocument extends Identity {
  readonly kind: 'outputs';
  /** It tells of what was there when the feed opened. */
  readonly initial: boolean;
  readonly changed: readonly [OutputChange] | readonly [gone: OutputChange, come: OutputChange];
}

interface Identity {
  /**
   * What the document is about: documents with one key tell of one thing, and can be composed. `undefined` for rows that
   * are known by their value alone.
   */
  readonly key: string | undefined;
  /** The group, where the feed is one of groups. */
  readonly group: Datum | undefined;
}

/** A document of a feed. */
export type FeedDocument = StateDocument | InitialDocument | ChangeDocument | OutputsDocument;

/** Takes documents as they are made. */
export type Emit = (document: FeedDocument) => void;

/** The key of a feed that has one value. */
export const SCALAR_KEY = '';

/** Whether a document tells of a change, rather than of a state or of what was there at first. */
export function isChange(document: FeedDocument): boolean {
  return document.kind === 'change' || (document.kind === 'outputs' && !document.initial);
}

/** The document as JSON, keys in the server's order (`group`, `new_val`, `old_val`, `state`, `type`). */
export function documentText(document: FeedDocument, includeTypes: boolean): string {
  const type = includeTypes ? `,"type":"${documentType(document)}"` : '';
  if (document.kind === 'state') return `{"state":"${document.state}"${type}}`;
  if (document.kind === 'outputs') return jsonText(documentDatum(document, includeTypes));
  const group = document.group === undefined ? '' : `"group":${jsonText(document.group)},`;
  const oldVal = document.kind === 'change' ? `,"old_val":${jsonText(document.oldVal)}` : '';
  return `{${group}"new_val":${jsonText(document.newVal)}${oldVal}${type}}`;
}

/** The document as a datum, for the terms after `changes`. */
export function documentDatum(document: FeedDocument, includeTypes: boolean): DatumObject {
  const type = includeTypes ? { type: documentType(document) } : {};
  if (document.kind === 'state') return { state: document.state, ...type };
  if (document.kind === 'outputs') return { ...outputDatum(document), ...type };
  const group = document.group === undefined ? {} : { group: document.group };
  const oldVal = document.kind === 'change' ? { old_val: document.oldVal } : {};
  return { ...group, new_val: document.newVal, ...oldVal, ...type };
}

/** The `type` under `include_types` (changefeed.cc). */
function documentType(document: FeedDocument): string {
  if (document.kind === 'outputs') return outputType(document);
  if (document.kind !== 'change') return document.kind;
  if (document.oldVal === null) return 'add';
  return document.newVal === null ? 'remove' : 'change';
}

/** Reads a document that a fold inside RethinkDB made; `undefined` for what is none. */
export function readDocument(
  datum: Datum,
  keyOf: (group: Datum | undefined, row: Datum) => string | undefined,
): FeedDocument | undefined {
  if (!isObject(datum)) return undefined;
  const state = getField(datum, 'state');
  if (state === 'initializing' || state === 'ready') return { kind: 'state', state };
  const newVal = getField(datum, 'new_val');
  if (newVal === undefined) return undefined;
  const oldVal = getField(datum, 'old_val');
  const group = getField(datum, 'group');
  if (oldVal === undefined) return { kind: 'initial', key: keyOf(group, newVal), group, newVal };
  if (equalDatums(oldVal, newVal)) return undefined;
  return { kind: 'change', key: keyOf(group, newVal ?? oldVal), group, oldVal, newVal };
}
