// @ts-check
// The stream of events, which is opened again whenever it is lost.

import { applyChanges } from './store.js';

/** @import { Status } from '../status.ts' */
/** @import { StatusChanges } from '../routes.ts' */

/** How soon it is tried again where the browser has given up, in milliseconds. */
const AGAIN_MS = 3000;

/**
 * Follows the status.
 * @param {(status: Status) => void} onStatus called with each
 * @param {() => void} onLost called when the stream is lost; it is tried again
 */
export function followStatus(onStatus, onLost) {
  /** @type {Status | undefined} */
  let status;
  const source = new EventSource('api/events');
  source.addEventListener('status', ({ data }) => {
    status = JSON.parse(data);
    if (status !== undefined) onStatus(status);
  });
  source.addEventListener('changes', ({ data }) => {
    if (status === undefined) return;
    /** @type {StatusChanges} */
    const changes = JSON.parse(data);
    status = applyChanges(status, changes);
    onStatus(status);
  });
  source.addEventListener('error', () => {
    status = undefined;
    onLost();
    // After an answer that is no stream a browser tries no more.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => followStatus(onStatus, onLost), AGAIN_MS);
  });
}
