// Chance for queries: the machine's own.

import { randomUUID } from 'node:crypto';
import type { RandomSource } from '../../../rewrite/reql/eval/index.ts';

export const systemRandom: RandomSource = {
  number: () => Math.random(),
  uuid: () => randomUUID(),
};
