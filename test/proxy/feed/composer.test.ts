import { expect, test } from 'vitest';
import { Composer } from '../../../proxy/feed/subscription/composer.ts';

test('what is told of while net changes are taken comes after them, and may come again', () => {
  const composer = new Composer();
  const tell = (key: string, old: number, now: number): void =>
    composer.add({ kind: 'change', of: 'group', key, group: key, old, now });
  const take = (): unknown => composer.take().map((change) => ('key' in change ? change.key : change));
  tell('a', 1, 2);
  tell('b', 1, 2);
  expect(take()).toEqual(['a']);
  tell('a', 2, 3);
  expect([take(), take(), take()]).toEqual([['b'], ['a'], []]);
  tell('c', 1, 2);
  tell('d', 1, 2);
  tell('c', 2, 1);
  expect([take(), take()]).toEqual([['d'], []]);
});
