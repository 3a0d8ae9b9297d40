// @ts-check
// `npm run build`: makes `dist` anew. The compiler writes ES modules and types; the library is written a second time as CommonJS,
// file by file, to `dist/cjs`, for programs and tools that cannot `require` an ES module.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { hashOfSources, root, STAMP } from './sources.mjs';

const dist = join(root, 'dist');
const cjs = join(dist, 'cjs');

/** The folders and files of `dist` that are not the program alone. */
const LIBRARY = /^(?:rewrite\/|proxy\/|src\/embedded\/|src\/driver\/|src\/index\.)/;

rmSync(dist, { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
writeCommonJs();
chmodSync(join(dist, 'src', 'main.js'), 0o755);
writeFileSync(join(dist, STAMP), hashOfSources());

/** The types stay as they are: whether a file of types is one of an ES module follows from the nearest package.json. */
function writeCommonJs() {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  for (const path of files.filter((file) => LIBRARY.test(file) && /\.(?:js|d\.ts)$/.test(file))) {
    const text = readFileSync(join(dist, path), 'utf8');
    mkdirSync(dirname(join(cjs, path)), { recursive: true });
    writeFileSync(join(cjs, path), path.endsWith('.js') ? asCommonJs(text, path) : text);
  }
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
}

/**
 * @param {string} text of an ES module
 * @param {string} fileName
 */
function asCommonJs(text, fileName) {
  const { outputText } = ts.transpileModule(text, {
    fileName,
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023, esModuleInterop: true },
  });
  return outputText;
}
