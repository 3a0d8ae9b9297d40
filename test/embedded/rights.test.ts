// Rights, as recorded from RethinkDB 2.4.4 (rights.json), held against the embedded server and against a real one.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bases } from '../support/servers/servers.ts';
import { answers, GRANTS, QUERIES } from './rights.ts';

const recorded: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(new URL('rights.json', import.meta.url), 'utf8'),
);

test('every grant and every query is recorded', () => {
  expect(Object.keys(recorded)).toEqual(Object.keys(GRANTS));
  for (const answered of Object.values(recorded)) expect(Object.keys(answered)).toEqual(QUERIES);
});

describe.each(bases)('$name', ({ there, start }) => {
  test.skipIf(!there).each(Object.entries(GRANTS))(
    'a user with %s may do what it may on RethinkDB',
    async (name, grants) => {
      const server = await start();
      try {
        expect(await answers(server.address, grants)).toEqual(recorded[name]);
      } finally {
        await server.close();
      }
    },
    60_000,
  );
});
