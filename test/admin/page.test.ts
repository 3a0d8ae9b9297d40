// The page in a real browser, before a livefold that runs.

import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { eventually } from '../support/checks/eventually.ts';
import { findBrowser } from '../support/servers/browser.ts';
import { buildProgram, type Program } from '../support/servers/program.ts';

const TOKEN = 'correct horse';
const TABLE = '[15,["orders"]]';
const MANY = 1000;
/** What opening so many takes where the machine is busy. */
const LONG_MS = 120_000;
const POLL = { timeout: 20_000 };

const found = await findBrowser();
const isThere = 'browser' in found;
if (!isThere) process.stdout.write(`Not run: the page in a browser (${found.reasons.join('; ')})\n`);

let browser: Browser;
let program: Program;
let database: EmbeddedServer;
let writes: Client;
let clients: Client;
let proxy: Address;
let page: string;
/** What went wrong in the browser: errors of the console and of scripts, and requests to elsewhere. */
let faults: string[] = [];

beforeAll(async () => {
  if (!isThere) return;
  ({ browser } = found);
  database = await createEmbeddedServer();
  writes = await Client.connect(database.address);
  await writes.run('[1,[60,["orders"]]]');
  await writes.run(`[1,[56,[${TABLE},[2,[{"id":1,"total":5,"k":"a"},{"id":2,"total":7,"k":"b"}]]]]]`);
  program = await buildProgram();
  const livefold = program.start([
    '--upstream',
    printAddress(database.address),
    '--listen',
    '127.0.0.1:0',
    '--admin',
    '127.0.0.1:0',
    '--admin-token',
    TOKEN,
  ]);
  const port = await livefold.readyPort();
  page = `http://127.0.0.1:${await livefold.adminPort()}/`;
  proxy = { host: '127.0.0.1', port };
  clients = await Client.connect(proxy);
});

afterAll(async () => {
  if (!isThere) return;
  await browser.close();
  clients.close();
  writes.close();
  await program.close();
  await database.close();
});

/** How a person sees the page. */
interface Sight {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  /** Lets the test run code of its own in the page. */
  readonly bypassCSP?: boolean;
}

/** Opens the page as one person sees it. */
async function opened({ width, scheme, bypassCSP = false }: Sight): Promise<Page> {
  faults = [];
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    bypassCSP,
    httpCredentials: { username: 'operator', password: TOKEN },
  });
  const tab = await context.newPage();
  tab.setDefaultTimeout(20_000);
  tab.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  tab.on('pageerror', (error) => faults.push(error.message));
  tab.on('request', (request) => {
    if (!request.url().startsWith(page)) faults.push(`asks ${request.url()}`);
  });
  await tab.goto(page);
  await tab.getByText('ready', { exact: true }).waitFor();
  return tab;
}

/** Opens a live query, and gives what becomes of it. */
function watch(term: string): { readonly documents: unknown[]; readonly ended: Promise<unknown> } {
  const documents: unknown[] = [];
  const ended = clients
    .watch(`[1,[152,[${term}],{"include_initial":true}]]`, (document) => documents.push(document))
    .catch((error: unknown) => error);
  return { documents, ended };
}

test.skipIf(!isThere)('three feeds, their figures as they move, one in all detail, and its end', async () => {
  const [sum, groups, distinct] = [
    watch(`[145,[${TABLE},"total"]]`),
    watch(`[43,[[144,[${TABLE},"k"]]]]`),
    watch(`[42,[[170,[${TABLE},"total"]]]]`),
  ];
  await eventually('all are live', () => [sum, groups, distinct].every(({ documents }) => documents.length > 0));
  const tab = await opened({ width: 1280, scheme: 'light' });
  const rows = tab.locator('#panel-feeds tbody tr');
  await tab.getByRole('tab', { name: 'Feeds 3' }).waitFor();
  expect(await rows.count()).toBe(3);
  // The one that keeps most stands first; sums are folded inside RethinkDB.
  expect(await rows.last().textContent()).toMatch(/sum\('total'\).*server.*admin/);

  const documents = rows.filter({ hasText: "sum('total')" }).locator('td[data-title="Documents"]');
  const before = Number(await documents.textContent());
  for (let total = 0; total < 5; total++) await writes.run(`[1,[53,[[16,[${TABLE},1]],{"total":${10 + total}}]]]`);
  await expect.poll(async () => Number(await documents.textContent()), POLL).toBeGreaterThanOrEqual(before + 5);
  await tab.getByRole('img', { name: /^Documents\/s: .* at most in the last five minutes/ }).waitFor();

  // By keyboard: sorted by followers, the first opened, and left again.
  await tab.getByRole('columnheader', { name: 'Query' }).getByRole('button').press('Enter');
  expect(await tab.getByRole('columnheader', { name: 'Query' }).getAttribute('aria-sort')).toBe('ascending');
  await tab.getByRole('button', { name: /sum\('total'\)/ }).press('Enter');
  const dialog = tab.getByRole('dialog');
  await dialog.getByText('Followed by 1 live query').waitFor();
  await dialog.getByText(/^Plan server, since its state is constant/).waitFor();
  await dialog.getByText('Fields that are read `total` of `orders`.').waitFor();
  expect(await dialog.getByText(/^Shared equal queries/).count()).toBe(1);
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => new URL(tab.url()).hash, POLL).toBe('');

  tab.on('dialog', (question) => void question.accept());
  await tab.getByRole('button', { name: /sum\('total'\)/ }).click();
  await dialog.getByRole('button', { name: 'End this feed' }).click();
  await dialog.getByText('This feed is over.').waitFor();
  expect(String(await sum.ended)).toMatch(/ended by an operator/);
  await tab.keyboard.press('Escape');
  await tab.getByRole('tab', { name: 'Feeds 2' }).waitFor();
  await tab.getByRole('tab', { name: 'Feeds 2' }).press('ArrowRight');
  expect(await tab.getByRole('tab', { name: /Clients/ }).getAttribute('aria-selected')).toBe('true');
  await tab.getByRole('cell', { name: /admin.*V1_0/ }).waitFor();
  // The answer for a feed that is over is 404, which a browser tells of by itself.
  expect(faults.filter((fault) => !/404/.test(fault))).toEqual([]);
  await tab.context().close();
});

test.skipIf(!isThere)('on a phone in the dark nothing is wider than the screen', async () => {
  const tab = await opened({ width: 360, scheme: 'dark' });
  await tab.locator('#panel-feeds tbody tr').first().waitFor();
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  const ground = String(await tab.evaluate('getComputedStyle(document.body).backgroundColor'));
  for (const part of ground.match(/\d+/g) ?? ['255']) expect(Number(part)).toBeLessThan(60);
  await tab.getByLabel('Sort by').selectOption('Followers');
  expect(await tab.locator('#panel-feeds th[aria-sort]').textContent()).toContain('Followers');
  expect(faults).toEqual([]);
  await tab.context().close();
});

test.skipIf(!isThere).each(['light', 'dark'] as const)(
  'in the %s axe finds nothing that leaves somebody out',
  async (scheme) => {
    const tab = await opened({ width: 1000, scheme, bypassCSP: true });
    await tab.locator('#panel-feeds tbody tr').first().waitFor();
    await tab.addScriptTag({ content: axe.source });
    const violations =
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))';
    expect(await tab.evaluate(violations)).toEqual([]);
    await tab.locator('#panel-feeds tbody button').first().click();
    await tab.getByText(/^Plan (?:server|proxy), since/).waitFor();
    expect(await tab.evaluate(violations)).toEqual([]);
    await tab.context().close();
  },
);

test.skipIf(!isThere)(
  `${MANY} feeds are listed, filtered and sorted`,
  async () => {
    const crowd = await Client.connect(proxy);
    let shown = 0;
    for (let value = 0; value < MANY; value++) {
      // Folded in the proxy, which is sooner ready than a fold in an embedded server.
      const query = `[1,[152,[[42,[[170,[[39,[${TABLE},{"k":${value}}]],"total"]]]]],{"include_states":true}]]`;
      void crowd.watch(query, () => shown++).catch(() => {});
    }
    await eventually('all are live', () => shown === MANY, LONG_MS);
    const tab = await opened({ width: 1280, scheme: 'light' });
    await tab.getByRole('tab', { name: /^Feeds 1,00/ }).waitFor();
    const rows = tab.locator('#panel-feeds tbody tr');
    await rows.nth(199).waitFor();
    expect(await rows.count()).toBe(200);
    await tab.getByRole('button', { name: /^Show more: these are 200 of 1,00/ }).click();
    expect(await rows.count()).toBe(400);
    const id = await rows.nth(300).getAttribute('data-id');
    await tab.getByLabel('Filter').fill(`${id} `);
    await expect.poll(() => rows.count(), POLL).toBeLessThan(200);
    expect(await tab.locator(`tr[data-id="${id}"]`).count()).toBe(1);
    await tab.getByLabel('Filter').fill('');
    // As long as it takes a person to blink, some ten times over: machines that test are busy.
    const took = await tab.evaluate(`(() => {
    const start = performance.now();
    document.querySelector('#panel-feeds th[aria-sort] button').click();
    document.body.getBoundingClientRect();
    return performance.now() - start;
  })()`);
    expect(took).toBeLessThan(3000);
    expect(faults).toEqual([]);
    await tab.context().close();
    crowd.close();
  },
  2 * LONG_MS,
);
