// All rows, in the order of the table.

import type { Row } from '../row.ts';
import { connecting, idle } from './connections.ts';
import { embeddedFeeds, embeddedReads } from './embedded.ts';
import { inProcessRows } from './in-process.ts';
import { mergedFeed } from './merges.ts';
import { largeInserts, largeReads, pointReads, roundTrip } from './point-reads.ts';
import { readyKept, readyMillion, readyRows } from './ready.ts';
import { sharedRows } from './shared.ts';
import { serverCost, updates } from './updates.ts';
import { watched } from './watched.ts';
import { writesRows } from './writes.ts';

/** Every row of the bench. */
export const rows: readonly Row[] = [
  pointReads,
  roundTrip,
  largeReads,
  largeInserts,
  idle,
  connecting,
  watched,
  ...readyRows,
  readyKept,
  readyMillion,
  updates,
  serverCost,
  ...writesRows,
  ...sharedRows,
  mergedFeed,
  embeddedReads,
  embeddedFeeds,
  ...inProcessRows,
];
