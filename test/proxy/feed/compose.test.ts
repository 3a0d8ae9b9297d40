import { expect, test } from 'vitest';
import { compose } from '../../../proxy/feed/compose.ts';
import type { FeedDocument } from '../../../proxy/feed/documents.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';

const change = (oldVal: Datum, newVal: Datum, key: string | undefined = ''): FeedDocument => ({
  kind: 'change',
  key,
  group: undefined,
  oldVal,
  newVal,
});
const initial = (newVal: Datum, key: string | undefined = ''): FeedDocument => ({
  kind: 'initial',
  key,
  group: undefined,
  newVal,
});
const ready: FeedDocument = { kind: 'state', state: 'ready' };
const row = (oldVal: Datum, newVal: Datum): FeedDocument =>
  ({ ...change(oldVal, newVal), key: undefined }) as FeedDocument;

test('changes of one thing become one, from the first old value to the last new one', () => {
  expect(compose([change(1, 2), change(2, 3), change(3, 4)], 'changes')).toEqual([change(1, 4)]);
});

test('changes that come back to their start are nothing', () => {
  expect(compose([change(1, 2), change(2, 1)], 'changes')).toEqual([]);
  expect(compose([change(1, 2), change(2, 1), change(1, 5)], 'changes')).toEqual([change(1, 5)]);
});

test('things with different keys do not mix', () => {
  const documents = [change(1, 2, 'a'), change(1, 2, 'b'), change(2, 3, 'a')];
  expect(compose(documents, 'changes')).toEqual([change(1, 3, 'a'), change(1, 2, 'b')]);
});

test('an initial value takes in changes only where all are composed', () => {
  const documents = [initial(1), ready, change(1, 2)];
  expect(compose(documents, 'changes')).toEqual(documents);
  expect(compose(documents, 'all')).toEqual([initial(2), ready]);
});

test('an initial row that goes is left out, an initial value that goes is null', () => {
  expect(compose([initial(1, 'a'), ready, change(1, null, 'a')], 'all')).toEqual([ready]);
  expect(compose([initial(1), ready, change(1, null)], 'all')).toEqual([initial(null), ready]);
});

test('rows known by their value alone follow each other', () => {
  expect(compose([row('a', 'b'), row('b', 'c')], 'changes')).toEqual([row('a', 'c')]);
  expect(compose([row(null, 'a'), row('a', null)], 'changes')).toEqual([]);
  expect(compose([row('a', null), row(null, 'a')], 'changes')).toEqual([]);
  expect(compose([row('a', null), row(null, 'b')], 'changes')).toEqual([row('a', null), row(null, 'b')]);
});

test('equal rows are as many as they are', () => {
  const documents = [row(null, 'a'), row(null, 'a'), row('a', 'b')];
  expect(compose(documents, 'changes')).toEqual([row(null, 'a'), row(null, 'b')]);
});
