// @ts-check
// `npm run build`: makes `dist` anew. The compiler writes the library as ES modules, and its types; then it is written a second
// time as CommonJS, file by file, to `dist/cjs`, for programs and tools that cannot `require` an ES module. The program is a few files.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { bundleProgram } from './bundle-program.mjs';
import { hashOfSources, root, STAMP } from './sources.mjs';

const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
compile();
writeCommonJs(join(dist, 'cjs'));
await bundleProgram(join(dist, 'src', 'main.js'));
writeFileSync(join(dist, STAMP), hashOfSources());

function compile() {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The types stay as they are: whether a file of types is one of an ES module follows from the nearest package.json.
 * @param {string} folder
 */
function writeCommonJs(folder) {
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') || file.endsWith('.js'),
  )) {
    const text = readFileSync(join(dist, path), 'utf8');
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(
      join(folder, path),
      path.endsWith('.js') ? transformSync(text, { format: 'cjs', target: 'node20' }).code : text,
    );
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}
