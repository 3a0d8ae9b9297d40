// @ts-check
// The program as a few files, with its packages beside them: 350 modules take Node longer to find and read than they take to
// run. What is imported on demand is in files of its own, so that the supervisor need not read it.

import { chmodSync, cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './sources.mjs';

/**
 * Writes the program, and the files that it reads on demand, those of its page too, beside it.
 * @param {string} file
 */
export async function bundleProgram(file) {
  await build({
    entryPoints: [{ in: join(root, 'src', 'main.ts'), out: basename(file, '.js') }],
    outdir: dirname(file),
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  chmodSync(file, 0o755);
  // The page of the admin server is as it was written: browsers read it from beside the program.
  cpSync(join(root, 'src', 'admin', 'page'), join(dirname(file), 'page'), {
    recursive: true,
    filter: (path) => !/\.(?:json|md)$/.test(path),
  });
}
