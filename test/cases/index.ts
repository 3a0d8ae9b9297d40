// All cases.

import type { FeedCase, RunCase } from './case.ts';
import { countCases } from './count.cases.ts';

export const feedCases: readonly FeedCase[] = [...countCases];
export const runCases: readonly RunCase[] = [];
