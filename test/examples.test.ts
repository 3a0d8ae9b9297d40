// The examples run, and print what they say.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** The others are modules: test/command/reductions.test.ts, test/drivers/follow.test.ts and the programs use them. */
const modules: readonly string[] = ['aggregates.js', 'follow.js', 'mirror.js', 'stand-in.js'];
const programs = readdirSync(`${root}/examples`).filter((name) => !modules.includes(name));

test.each(programs)('%s prints what it says', async (name) => {
  const code = readFileSync(`${root}/examples/${name}`, 'utf8');
  const said = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
  expect(said.length).toBeGreaterThan(0);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', `examples/${name}`], { cwd: root });
  expect(stdout.trim().split('\n')).toEqual(said);
});
