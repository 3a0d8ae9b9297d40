// @ts-check
// The page: it follows the status, and draws it.

import { Detail } from './detail.js';
import { byId, setAttribute, setText } from './dom.js';
import { Figures } from './figures.js';
import { duration, secondsBetween } from './format.js';
import { Lists } from './lists.js';
import { followStatus } from './stream.js';
import { Upstreams } from './upstreams.js';

/** @import { Status } from '../status.ts' */

const FEED = /^#feed\/([\w-]+)$/;

const figures = new Figures(byId('figures'));
const upstreams = new Upstreams(byId('upstreams'));
const lists = new Lists({
  openFeed: (id) => {
    location.hash = `feed/${id}`;
  },
  endClient: ({ id, address }) => void end(`api/clients/${id}`, `End the connection of ${address}?`),
});
const dialog = byId('detail');
if (!(dialog instanceof HTMLDialogElement)) throw new Error('The page has no dialog.');
const detail = new Detail(
  dialog,
  (id) => lists.rateOf(id),
  (id) => void end(`api/feeds/${id}`, 'End this feed for all who follow it? They get an error that says so.'),
);
detail.onClose = () => {
  if (FEED.test(location.hash)) history.replaceState(null, '', location.pathname);
};

/** @type {Status | undefined} */
let status;
let isPaused = false;
let isLost = false;

followStatus(
  (next) => {
    status = next;
    isLost = false;
    figures.take(next);
    lists.take(next);
    detail.take(next);
    draw();
  },
  () => {
    isLost = true;
    draw();
  },
);

/** Draws what there is, unless nobody looks. */
function draw() {
  drawHealth();
  if (status === undefined || document.hidden || isPaused) return;
  figures.draw(status);
  upstreams.draw(status);
  lists.draw(status, status.canEnd);
  detail.draw(status);
}

function drawHealth() {
  const health = byId('health');
  const { word, look, trouble } = healthOf();
  setText(health, word);
  setAttribute(health, 'class', `chip ${look}`);
  setText(byId('trouble'), trouble);
  byId('trouble').hidden = trouble === '';
  document.body.classList.toggle('stale', isLost);
  document.title = trouble === '' ? 'Livefold' : `Livefold: ${word}`;
  if (status === undefined) return;
  const { version, node, startedAt, at } = status;
  setText(byId('about'), `${version} on Node ${node}, for ${duration(secondsBetween(startedAt, at))}`);
}

/** @returns {{ word: string, look: string, trouble: string }} */
function healthOf() {
  if (isLost) {
    return {
      word: 'connection lost',
      look: 'bad',
      trouble: 'Livefold does not answer. What is shown is the last that it said; it is asked again and again.',
    };
  }
  if (status === undefined) return { word: 'connecting', look: 'unknown', trouble: '' };
  if (!status.readiness.ready) return { word: 'not ready', look: 'bad', trouble: status.readiness.reason };
  return { word: 'ready', look: 'good', trouble: '' };
}

/**
 * @param {string} path
 * @param {string} question
 */
async function end(path, question) {
  if (!confirm(question)) return;
  const answer = await fetch(path, { method: 'DELETE' }).catch(() => undefined);
  if (answer?.ok === true || answer?.status === 404) return;
  const { error } = (await answer?.json().catch(() => undefined)) ?? { error: 'Livefold does not answer.' };
  alert(error);
}

function follow() {
  const id = FEED.exec(location.hash)?.[1];
  if (id !== undefined) detail.open(id);
  else detail.close();
  if (id === undefined) lists.show(location.hash.slice(1));
  draw();
}

const pause = byId('pause');
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  setAttribute(pause, 'aria-pressed', String(isPaused));
  setText(pause, isPaused ? 'Go on' : 'Pause');
  draw();
});
addEventListener('hashchange', follow);
document.addEventListener('visibilitychange', draw);
follow();
