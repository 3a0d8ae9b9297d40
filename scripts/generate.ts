// `npm run generate`: writes the files that follow from others. Run twice where a list changes that a later file is made of.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generated } from './generated.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const { path, text } of generated(root)) {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
