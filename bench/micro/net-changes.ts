// The net changes of many groups, as one who asks seldom gets them: taken in batches until none is left.

import { built } from './built.ts';
import { cpuTime } from './clock.ts';
import type { Micro } from './index.ts';

/** Takes the net changes of `size` groups; microseconds of CPU each. */
export const netChanges: Micro = async (size) => {
  const { Composer } = await built<typeof import('../../proxy/feed/subscription/composer.ts')>(
    'proxy/feed/subscription/composer',
  );
  const take = (count: number): number => {
    const composer = new Composer();
    for (let at = 0; at < count; at++) {
      composer.add({ kind: 'change', of: 'group', key: `${at}`, group: at, old: at, now: at + 1 });
    }
    const start = cpuTime();
    let taken = 0;
    while (composer.size > 0) taken += composer.take().length;
    if (taken !== count) throw new Error(`${taken} net changes of ${count}`);
    return (cpuTime() - start) / count;
  };
  take(size);
  return [take(size)];
};
