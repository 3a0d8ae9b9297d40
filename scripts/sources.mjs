// @ts-check
// What `dist` is made of, and whether it still is made of that. Needs nothing but Node.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The file in `dist` that says what it was made of. */
export const STAMP = '.sources';

/** What it is made of: files and folders, from the root. */
export const SOURCES = [
  'rewrite',
  'proxy',
  'src',
  'scripts/build.mjs',
  'scripts/bundle-program.mjs',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/**
 * A hash over the paths and contents of all sources.
 * @returns {string}
 */
export function hashOfSources() {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap(filesOf).sort()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * True where `dist` was built from the sources as they are now.
 * @returns {boolean}
 */
export function isBuilt() {
  const stamp = join(root, 'dist', STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfSources();
}

/**
 * @param {string} path of a file or a folder, from the root
 * @returns {string[]}
 */
function filesOf(path) {
  if (path.includes('.')) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length));
}
