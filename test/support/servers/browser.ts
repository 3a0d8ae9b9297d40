// A real browser, where there is one: the Chromium that a package carries (for Linux), or one that is installed.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Where the package's binary is unpacked to, once: it takes some seconds. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/livefold-chromium', import.meta.url));
/** In a container there often is no sandbox for it, and no graphics. The page is our own. */
const ARGS: readonly string[] = ['--no-sandbox', '--disable-gpu'];

/** A browser, or why there is none. */
export type FoundBrowser = { readonly browser: Browser } | { readonly reasons: readonly string[] };

/** Starts a browser. */
export async function findBrowser(): Promise<FoundBrowser> {
  const reasons: string[] = [];
  const ways: readonly (() => Promise<Browser>)[] = [
    async () => chromium.launch({ executablePath: await unpacked(), args: [...ARGS] }),
    () => chromium.launch({ channel: 'chrome', args: [...ARGS] }),
  ];
  for (const start of ways) {
    try {
      return { browser: await start() };
    } catch (error) {
      const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
      reasons.push(line);
    }
  }
  return { reasons };
}

/** The package unpacks to the folder of temporary files, where another version's may be. */
async function unpacked(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = FOLDER;
  try {
    const { default: packaged } = await import('@sparticuz/chromium');
    return await packaged.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
