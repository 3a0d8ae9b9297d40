// All cases.

import type { FeedCase, RunCase } from './case.ts';
import { countCases } from './count.cases.ts';
import { sumCases } from './sum.cases.ts';

export const feedCases: readonly FeedCase[] = [...countCases, ...sumCases];
export const runCases: readonly RunCase[] = [];
