// A client that does not read what it was sent: what it is owed meanwhile is sent once it has read all, in whichever state its feed is.

import { expect, test } from 'vitest';
import { queryOfText } from '../../../src/command/query-of-text.ts';
import { Driven } from './scripted-io.ts';

const READY = { state: 'ready' };
const COUNT = JSON.parse(queryOfText("r.table('t').count().changes({includeInitial: true, includeStates: true})"))[1];

test('the feed became ready meanwhile', () => {
  const driven = new Driven(COUNT);
  driven.io.isUnread = true;
  driven.send({ state: 'initializing' }, { new_val: [1] }).send(READY);
  expect(driven.answers()).toEqual([]);
  driven.io.isUnread = false;
  driven.feed?.resume?.();
  expect(driven.documents()).toEqual([{ state: 'initializing' }, { new_val: 1 }, READY]);
});

test('the value changed meanwhile', () => {
  const driven = new Driven(COUNT);
  driven.send({ new_val: [1] }).send(READY);
  driven.documents();
  driven.io.isUnread = true;
  driven.send({ old_val: null, new_val: [1] });
  expect(driven.answers()).toEqual([]);
  driven.io.isUnread = false;
  driven.feed?.resume?.();
  expect(driven.documents()).toEqual([{ old_val: 1, new_val: 2 }]);
});

test('nothing happened meanwhile', () => {
  const driven = new Driven(COUNT);
  driven.send({ state: 'initializing' });
  const before = driven.answers();
  driven.io.isUnread = true;
  driven.io.isUnread = false;
  driven.feed?.resume?.();
  expect(before.flatMap(({ r }) => r)).toEqual([{ state: 'initializing' }]);
  expect(driven.answers()).toEqual([]);
});
