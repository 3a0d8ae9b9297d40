// All cases.

import { afterCases, unitedCases } from './after.cases.ts';
import type { FeedCase, RunCase } from './case.ts';
import { collectCases } from './collect.cases.ts';
import { countCases } from './count.cases.ts';
import { dataFeeds, dataRuns } from './data.cases.ts';
import { distinctCases } from './distinct.cases.ts';
import { expressionCases } from './expression.cases.ts';
import { extremeCases } from './extreme.cases.ts';
import { followCases } from './follow.cases.ts';
import { groupCases } from './group.cases.ts';
import { indexCases } from './index.cases.ts';
import { joinCases } from './join.cases.ts';
import { keyCases } from './key.cases.ts';
import { lookupCases } from './lookup.cases.ts';
import { meaningCases } from './meaning.cases.ts';
import { missingCases } from './missing.cases.ts';
import { momentCases } from './moment.cases.ts';
import { namedCases } from './named.cases.ts';
import { nativeFeeds, nativeRuns } from './native.cases.ts';
import { nullCases } from './null.cases.ts';
import { optionCases } from './option.cases.ts';
import { orderedCases } from './ordered.cases.ts';
import { partCases } from './part.cases.ts';
import { recipeCases } from './recipe.cases.ts';
import { reduceCases } from './reduce.cases.ts';
import { reducerCases } from './reducer.cases.ts';
import { refusedCases } from './refused.cases.ts';
import { rollupCases } from './rollup.cases.ts';
import { spreadCases } from './spread.cases.ts';
import { sumCases } from './sum.cases.ts';
import { writtenCases } from './written.cases.ts';

/** Feeds. */
export const feedCases: readonly FeedCase[] = [
  ...nativeFeeds,
  ...countCases,
  ...sumCases,
  ...writtenCases,
  ...extremeCases,
  ...distinctCases,
  ...collectCases,
  ...reduceCases,
  ...recipeCases,
  ...reducerCases,
  ...namedCases,
  ...groupCases,
  ...indexCases,
  ...expressionCases,
  ...rollupCases,
  ...meaningCases,
  ...orderedCases,
  ...partCases,
  ...followCases,
  ...missingCases,
  ...nullCases,
  ...momentCases,
  ...optionCases,
  ...afterCases,
  ...unitedCases,
  ...joinCases,
  ...lookupCases,
  ...keyCases,
  ...refusedCases,
  ...spreadCases,
  ...dataFeeds,
];

/** Queries that end. */
export const runCases: readonly RunCase[] = [...nativeRuns, ...dataRuns];
