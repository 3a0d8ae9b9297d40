// @ts-check
// `npm run prepare`, which npm runs after an install in this folder, before it packs, and when another project or `npx` links
// to the folder: builds where `dist` is not what the sources make. In a fresh clone that nobody has installed anything in, it
// installs first; linking alone does not.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt, root } from './sources.mjs';

const modules = join(root, 'node_modules');
/** What an outer command was told of where and what to install: `npm install --global PATH` wants nothing else to be global. */
const OF_THE_OUTER =
  /^npm_config_(?:global|location|.*prefix|omit|include|production|dry_run|package_lock.*|install_links|workspaces?)$/i;
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

if (!isBuilt()) {
  if (!existsSync(modules)) install();
  if (!existsSync(join(modules, 'typescript'))) {
    fail(
      'livefold: the build needs the development dependencies. Run `npm ci` without --omit=dev, then `npm prune --omit=dev`.',
    );
  }
  await import('./build.mjs');
}
if (!existsSync(modules)) install();

function install() {
  const env = Object.entries(process.env).filter(([name]) => !OF_THE_OUTER.test(name));
  const { status } = spawnSync(npm, ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: root,
    env: { ...Object.fromEntries(env), NODE_ENV: 'development' },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(`livefold: cannot install its dependencies in ${root}`);
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
