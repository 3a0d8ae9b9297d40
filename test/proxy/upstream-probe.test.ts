// Servers that are asked now and then: observers are told when one does not answer, and when it does again, with or without clients.

import { expect, test } from 'vitest';
import { type UpstreamOptions, Upstreams } from '../../proxy/upstream/upstreams.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { eventually } from '../support/checks/eventually.ts';

test('what the probe finds is told: each failure, and once that the server answers again', async () => {
  const server = await createEmbeddedServer();
  const told: string[] = [];
  const options: UpstreamOptions = { addresses: [server.address], connectTimeoutMs: 1000, keepaliveMs: 0 };
  const upstreams = new Upstreams(options, {
    upstreamReached: (_, version) => told.push(`reached ${version}`),
    upstreamFailed: (_, failures, reason) => told.push(`failed ${failures}: ${reason}`),
  });
  const answers: string[] = [];
  const ask = (): void => upstreams.ask(({ port }, version) => answers.push(`${port} ${version}`));
  const answer = `${server.address.port} 2.4.4`;
  ask();
  await eventually('it answers', () => answers.length === 1);
  // One that has always answered is nothing to tell of.
  expect([answers, told]).toEqual([[answer], []]);
  await server.close();
  for (const failures of [1, 2]) {
    ask();
    await eventually('it fails', () => told.length === failures);
    expect(told.at(-1)).toMatch(new RegExp(`^failed ${failures}: .*ECONNREFUSED`));
  }
  const again = await createEmbeddedServer({ port: server.address.port });
  for (const times of [2, 3]) {
    ask();
    await eventually('it answers again', () => answers.length === times);
  }
  expect(told.slice(2)).toEqual(['reached 2.4.4']);
  upstreams.stop();
  await again.close();
});

test('a server that the watch is waiting for is tried no more by it when the probe has reached it', async () => {
  const server = await createEmbeddedServer();
  await server.close();
  const told: string[] = [];
  const options: UpstreamOptions = { addresses: [server.address], connectTimeoutMs: 1000, keepaliveMs: 0 };
  const upstreams = new Upstreams(options, {
    upstreamReached: () => told.push('reached'),
    upstreamFailed: () => told.push('failed'),
  });
  upstreams.watch();
  await eventually('it fails', () => told.length > 0);
  const again = await createEmbeddedServer({ port: server.address.port });
  let answers = 0;
  upstreams.ask(() => answers++);
  await eventually('it is reached', () => told.includes('reached'));
  upstreams.ask(() => answers++);
  await eventually('it answers', () => answers > 0);
  expect(told.filter((each) => each === 'reached')).toHaveLength(1);
  upstreams.stop();
  await again.close();
});
