// Why a feed is read again, in a word: for the log's readers and the metrics.

import { opFailed, type ReqlError } from '../../../rewrite/reql/error.ts';
import type { HealingCause } from '../../observer/outcomes.ts';
import { isGap, isOutgrown } from '../overflow.ts';
import { SilentReading } from '../source/silent-reading.ts';
import { isOfIndex } from './passing.ts';

/** Why a feed is read again whose connection has gone; nobody is told, unless there is no other connection. */
export const CARRIER_GONE: ReqlError = opFailed('The connection that carried the feed is gone.');

/** The cause for which a feed is read again, in a word. */
export function healingCause(error: ReqlError): HealingCause {
  if (error === CARRIER_GONE) return 'carrier';
  if (error instanceof SilentReading) return 'silence';
  if (isOfIndex(error)) return 'index';
  if (isOutgrown(error)) return 'outgrown';
  return isGap(error) ? 'overflow' : 'cluster';
}
