// `npm run generate`: writes the files that follow from others, until nothing changes: the list of aggregates is one of them,
// and others are made of it, so that a new process has to read it. It stands among the tests, since the golden files are theirs.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generated } from './generated.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const stale = generated(root).filter(({ path, text }) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});
for (const { path, text } of stale) {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
if (stale.length > 0) {
  const [script = ''] = process.argv.slice(1);
  process.exitCode = spawnSync(process.execPath, [...process.execArgv, script], { stdio: 'inherit' }).status ?? 1;
}
