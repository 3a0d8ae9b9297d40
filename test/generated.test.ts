import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { generated } from './generated.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

for (const { path, text } of generated(root)) {
  test(`${path} is what \`npm run generate\` writes`, () => {
    expect(readFileSync(join(root, path), 'utf8') === text, `${path} is stale: run \`npm run generate\``).toBe(true);
  });
}
