// The kind of the outputs of a client's reducer.

import type { Reduced } from '../live.ts';
import type { Kind } from './kind.ts';

/** The outputs of a client's reducer. It is called once for all that a batch changes, so that no fold shows them. */
export const reduced = {
  subject: 'output',
  made: ({ of }) => ({ of: [], elements: of }),
  describe: ({ of, grouped }, say) => `\`reducer\`${grouped ? ', for each group' : ''}${say.over(of)}`,
  growths: () => ['per distinct value'],
} as const satisfies Kind<Reduced>;
