// RethinkDB 2.4.4's own words to `changes` on things that it cannot watch.

import { type ExpectedError, error } from '../support/checks/matchers.ts';

const noSequence = (type: string): ExpectedError => error('QUERY_LOGIC', `Cannot convert ${type} to SEQUENCE`);

export const NUMBER = noSequence('NUMBER');
export const BOOL = noSequence('BOOL');
export const STRING = noSequence('STRING');
export const OBJECT = noSequence('OBJECT');
export const NULL = error('NON_EXISTENCE', 'Cannot convert NULL to SEQUENCE');
export const TIME = noSequence('PTYPE<TIME>');
export const ARRAY = error('QUERY_LOGIC', 'Cannot call `changes` on an eager stream.');
export const EMPTY_AVG = error(
  'NON_EXISTENCE',
  'Cannot take the average of an empty stream.  (If you passed `avg` a field name, it may be that no elements of the stream had that field.)',
);
