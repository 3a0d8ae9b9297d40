// @ts-check
// The program as one file, with its packages beside it: 350 modules take Node longer to find and read than they take to run.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './sources.mjs';

/**
 * Writes the program.
 * @param {string} file
 */
export async function bundleProgram(file) {
  await build({
    entryPoints: [join(root, 'src', 'main.ts')],
    outfile: file,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  chmodSync(file, 0o755);
}
