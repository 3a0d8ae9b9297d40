// The watch over upstream servers: what the log tells of them with no client there, and where clients go meanwhile.

import { expect, test } from 'vitest';
import { type RunningProxy, startProxy } from '../../proxy/listener.ts';
import { noFeeds } from '../../proxy/relay/feed-port.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { text, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { connectPeer, scriptedServer } from '../support/servers/peer.ts';
import { SHAKE, V0_4, V1_0 } from '../support/servers/scene.ts';
import { type WrittenLog, writtenLog } from '../support/servers/written-log.ts';

async function watching(
  upstreams: readonly Address[],
  play: (proxy: RunningProxy, written: WrittenLog) => Promise<void>,
): Promise<void> {
  const written = writtenLog('info');
  const proxy = await startProxy({
    ...{ listen: { host: '127.0.0.1', port: 0 }, upstreams, openFeed: noFeeds, log: written.log },
    connectTimeoutMs: 300,
  });
  try {
    await play(proxy, written);
  } finally {
    await proxy.destroy();
  }
}

/** Waits for a line with all of these. */
async function line({ lines }: WrittenLog, ...parts: readonly string[]): Promise<string> {
  let found = '';
  await eventually(`the log says ${parts.join(' and ')}`, () => {
    found = lines.find((each) => parts.every((part) => each.includes(part))) ?? '';
    return found !== '';
  });
  return found;
}

/** An address where nobody listens. */
async function nowhere(): Promise<Address> {
  const server = await scriptedServer();
  await server.close();
  return server.address;
}

test('an upstream that is not there is told of at the start, and so is that it has come', async () => {
  const address = await nowhere();
  await watching([address], async (_proxy, written) => {
    expect(JSON.parse(await line(written, 'upstream not reached'))).toMatchObject({
      ...{ level: 40, upstream: `127.0.0.1:${address.port}`, failures: 1, reason: expect.stringContaining('REFUSED') },
    });
    const server = await createEmbeddedServer({ port: address.port });
    try {
      expect(JSON.parse(await line(written, 'upstream reached'))).toMatchObject({ level: 30, version: '2.4.4' });
    } finally {
      await server.close();
    }
  });
});

test('one that is lost while clients are served is told of again', async () => {
  const server = await createEmbeddedServer();
  await watching([server.address], async (proxy, written) => {
    await line(written, 'upstream reached');
    await server.close();
    const client = await connectPeer(proxy.address);
    client.write(V0_4);
    expect(await client.text()).toContain('Cannot reach the upstream server');
    client.socket.destroy();
    await line(written, 'upstream not reached');
    const again = await createEmbeddedServer({ port: server.address.port });
    try {
      await eventually(
        'it is reached again',
        () => written.lines.filter((each) => each.includes('reached"')).length > 2,
      );
    } finally {
      await again.close();
    }
  });
});

test.each([
  ['speaks something else', 'HTTP/1.1 400 Bad Request\r\n\r\n', true],
  ['hangs up', '', true],
  ['says nothing', '', false],
])('a server that %s is told of as no RethinkDB', async (_name, says, ends) => {
  const server = await scriptedServer();
  try {
    await watching([server.address], async (_proxy, written) => {
      const asked = await server.accept();
      expect(await asked.read(4)).toEqual(V1_0);
      asked.write(Buffer.from(says));
      if (ends) asked.socket.end();
      await line(written, 'upstream not reached', 'it does not answer as the driver port of a RethinkDB does');
      await asked.ended();
    });
  } finally {
    await server.close();
  }
});

test('a server that is too old for the question is told of as that', async () => {
  const server = await scriptedServer();
  try {
    await watching([server.address], async (_proxy, written) => {
      const asked = await server.accept();
      asked.write(text('ERROR: Received an unsupported protocol version.\n'));
      await line(written, 'upstream reached', 'older than 2.3');
    });
  } finally {
    await server.close();
  }
});

test('no client waits for a server that the watch has found silent', async () => {
  const [hole, good] = [await scriptedServer(), await createEmbeddedServer()];
  try {
    await watching([hole.address, good.address], async (proxy, written) => {
      await line(written, 'upstream reached');
      await line(written, 'upstream not reached', String(hole.address.port));
      for (let round = 0; round < 4; round++) {
        const client = await connectPeer(proxy.address);
        client.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
        expect(await client.text()).toBe('SUCCESS');
        client.socket.destroy();
      }
    });
  } finally {
    await hole.close();
    await good.close();
  }
});

test('a name with several addresses is tried at all of them', async () => {
  const { port } = await nowhere();
  await watching([{ host: 'localhost', port }], async (proxy, written) => {
    await line(written, 'upstream not reached', 'ECONNREFUSED');
    const client = await connectPeer(proxy.address);
    client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    expect(JSON.parse(await client.text()).error).toMatch(/^Cannot reach the upstream server: .*ECONNREFUSED.*\.$/);
    const server = await createEmbeddedServer({ port });
    try {
      await line(written, 'upstream reached');
    } finally {
      await server.close();
    }
  });
});

test('a stop ends the watch', async () => {
  const server = await scriptedServer();
  try {
    await watching([server.address], async (proxy) => {
      const asked = await server.accept();
      await asked.read(4);
      await proxy.drain();
      await asked.ended();
    });
  } finally {
    await server.close();
  }
});
