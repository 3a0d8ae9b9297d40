// Feeds show, and the library gives, what README says of merges.

import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { applyMerge, composeMerges, type Merge, mergeBetween } from '../rewrite/merge/index.ts';
import { bases } from './support/servers/servers.ts';
import { onSharingStage } from './support/sharing.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

interface Told {
  readonly group: string;
  readonly body: Merge;
  readonly reverse?: Merge;
}

function written<Value>(code: string): Value {
  const value: unknown = runInNewContext(`(${code})`, { applyMerge, composeMerges, mergeBetween });
  return JSON.parse(JSON.stringify(value));
}

/** Documents that README shows of one group. */
const shown = [...readme.matchAll(/^ {4}(\{ group: 'Bonn', body: .*?\})(?: {2,}.*)?$/gm)].map(([, code = '']) =>
  written<Told>(code),
);

for (const under of bases) {
  test.skipIf(!under.there)(`the documents of one row, over ${under.name}`, async () => {
    await onSharingStage(under, 'readmemerges', { feeds: { plan: 'auto' } }, async ({ writes, connect }) => {
      await writes.run((r) => r.tableCreate('orders'));
      const row = { id: 7, city: 'Bonn', total: 5, open: true };
      await writes.run((r) => r.table('orders').insert(row));
      const client = await connect();
      const feed = await client.feed((r) =>
        r.table('orders').group('city').max('total').changes({ includeInitial: true, format: 'merge' }),
      );
      const told = [...(await feed.take(1))];
      const versions = [
        { ...row, total: 6 },
        { ...row, total: 8, open: false },
        { id: 7, city: 'Bonn', total: 8 },
      ];
      for (const version of versions) await writes.run((r) => r.table('orders').get(7).replace(version));
      told.push(...(await feed.take(versions.length)));
      expect(shown.length).toBe(1 + versions.length);
      expect(told).toEqual(shown);
    });
  });
}

test('what they come to, and what leads back', () => {
  const [, body, reverse] = /The net change of the last three is `(.*?)`, and `(.*?)` leads back/.exec(readme) ?? [];
  const merges = shown.slice(1);
  expect(merges.map((one) => one.body).reduce(composeMerges)).toEqual(written(body ?? ''));
  expect(
    merges
      .map((one) => one.reverse ?? null)
      .reverse()
      .reduce(composeMerges),
  ).toEqual(written(reverse ?? ''));
});

const calls = [...readme.matchAll(/^ {4}((?:mergeBetween|applyMerge|composeMerges)\(.*\));(?:\n {4}| +)\/\/ (.*)$/gm)];

test.each(calls.map(([, call = '', gives = '']) => [call, gives] as const))('%s gives %s', (call, gives) => {
  expect(written(call)).toEqual(written(gives));
});

test('there are calls of each function', () => {
  expect(new Set(calls.map(([, call = '']) => call.slice(0, call.indexOf('('))))).toEqual(
    new Set(['mergeBetween', 'applyMerge', 'composeMerges']),
  );
});
