import { expect, test } from 'vitest';
import { compose } from '../../../proxy/feed/compose.ts';
import type { FeedDocument } from '../../../proxy/feed/documents.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';

type Side = Datum | undefined;

const change = (old: Side, now: Side, key = ''): FeedDocument => ({
  kind: 'change',
  of: 'value',
  key,
  group: undefined,
  old,
  now,
});
const initial = (now: Datum, key = ''): FeedDocument => ({ kind: 'initial', of: 'value', key, group: undefined, now });
const ready: FeedDocument = { kind: 'state', state: 'ready' };
const row = (old: Side, now: Side): FeedDocument => ({
  kind: 'change',
  of: 'row',
  key: undefined,
  group: undefined,
  old,
  now,
});
const none = undefined;

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
  expect(compose([initial(1, 'a'), ready, change(1, none, 'a')], 'all')).toEqual([ready]);
  expect(compose([initial(1), ready, change(1, null)], 'all')).toEqual([initial(null), ready]);
});

test('rows known by their value alone follow each other', () => {
  expect(compose([row('a', 'b'), row('b', 'c')], 'changes')).toEqual([row('a', 'c')]);
  expect(compose([row(none, 'a'), row('a', none)], 'changes')).toEqual([]);
  expect(compose([row('a', none), row(none, 'a')], 'changes')).toEqual([]);
  expect(compose([row('a', none), row(none, 'b')], 'changes')).toEqual([row('a', none), row(none, 'b')]);
});

test('a row that is null is a row', () => {
  expect(compose([row(none, null), row(null, none)], 'changes')).toEqual([]);
  expect(compose([row(none, null), row(none, null), row(null, none)], 'changes')).toEqual([row(none, null)]);
  expect(compose([row(null, none), row(none, 1)], 'changes')).toEqual([row(null, none), row(none, 1)]);
});

test('a group that is null is not one that is gone', () => {
  const ofA = { of: 'group', key: 'a', group: 'a' } as const;
  const group = (old: Side, now: Side): FeedDocument => ({ kind: 'change', ...ofA, old, now });
  const first: FeedDocument = { kind: 'initial', ...ofA, now: 1 };
  expect(compose([group(none, 1), group(1, null)], 'changes')).toEqual([group(none, null)]);
  expect(compose([group(1, null), group(null, none)], 'changes')).toEqual([group(1, none)]);
  expect(compose([group(null, 1), group(1, null)], 'changes')).toEqual([]);
  expect(compose([group(none, null), group(null, 2)], 'changes')).toEqual([group(none, 2)]);
  expect(compose([first, group(1, null)], 'all')).toEqual([{ ...first, now: null }]);
  expect(compose([first, group(1, none)], 'all')).toEqual([]);
});

test('equal rows are as many as they are', () => {
  const documents = [row(none, 'a'), row(none, 'a'), row('a', 'b')];
  expect(compose(documents, 'changes')).toEqual([row(none, 'a'), row(none, 'b')]);
});
