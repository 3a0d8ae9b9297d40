// The files of deploy/, checked by the programs that they are for, where these are on the PATH.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isOnPath } from '../support/servers/programs.ts';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));

describe.skipIf(!isOnPath('promtool'))('promtool', () => {
  test.each([
    ['check', 'rules', 'alerts.yml'],
    ['check', 'config', 'prometheus.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('%s %s %s', async (...args) => {
    const { stdout } = await run('promtool', args, { cwd: `${deploy}/prometheus` });
    expect(stdout).toContain('SUCCESS');
  });
});

describe.skipIf(!isOnPath('systemd-analyze'))('systemd-analyze', () => {
  test('the unit is well formed', async () => {
    const { stderr } = await run('systemd-analyze', ['verify', 'systemd/livefold.service'], { cwd: deploy });
    expect(stderr.split('\n').filter((line) => line.includes('livefold.service'))).toEqual([]);
  });

  test('little is exposed', async () => {
    const args = ['security', '--offline=true', '--no-pager', 'systemd/livefold.service'];
    const { stdout } = await run('systemd-analyze', args, { cwd: deploy });
    const [, level] = /Overall exposure level for livefold\.service: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(level)).toBeLessThan(2);
  });
});

describe.skipIf(!isOnPath('haproxy'))('haproxy', () => {
  test('the configuration is valid', async () => {
    const env = { ...process.env, LIVEFOLD_1: '127.0.0.1:28016', LIVEFOLD_2: '127.0.0.1:28026' };
    const { stderr } = await run('haproxy', ['-c', '-f', 'haproxy/haproxy.cfg'], { cwd: deploy, env });
    expect(stderr).not.toMatch(/WARNING|ALERT/);
  });
});
