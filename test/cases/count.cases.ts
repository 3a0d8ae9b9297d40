// Live counts.

import { error } from '../support/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';

export const countCases: readonly FeedCase[] = [
  {
    name: 'count over an index follows a job, and is silent for other jobs',
    source: 'CASES A2, rethinkdb/rethinkdb#3735',
    query: (r) => r.table('t').getAll('j7', { index: 'job' }).count(),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert([{ job: 'j7' }, { job: 'j7' }, { job: 'j7' }]), expect: steps(0, 1, 2, 3) },
      { write: (r) => r.table('t').insert([{ id: 1, job: 'j8' }, { job: 'j8' }]), expect: [] },
      { write: (r) => r.table('t').get(1).update({ job: 'j7' }), expect: steps(3, 4) },
    ],
    without: error('QUERY_LOGIC', 'Cannot convert NUMBER to SEQUENCE'),
  },
];
