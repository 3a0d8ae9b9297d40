import { expect, test } from 'vitest';
import { HandshakeGate } from '../../proxy/connection/handshake-gate.ts';
import { frame, text, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { onScene, SHAKE, shakeNew, shakeOld, V0_4, V1_0 } from '../support/servers/scene.ts';
import { writtenLog } from '../support/servers/written-log.ts';

test('upstream is connected to when the client has shown its magic, and not before', async () => {
  await onScene({}, async ({ connect, server, proxy }) => {
    const mute = await connect();
    const slow = await connect();
    slow.write(V1_0.subarray(0, 3));
    await eventually('both are there', () => proxy.clientCount === 2);
    const client = await connect();
    const upstream = await shakeOld(client, server, V0_4);
    client.write(frame(1, '[5]'));
    expect((await upstream.frame()).body).toBe('[5]');
    expect(server.accepted).toBe(1);
    slow.write(Buffer.concat([V1_0.subarray(3), text(SHAKE.first)]));
    expect(await (await server.accept()).read(4)).toEqual(V1_0);
    expect(server.accepted).toBe(2);
    mute.socket.destroy();
  });
});

test('no more clients than allowed shake hands at once, and the others get their turn', async () => {
  await onScene({ maxHandshakes: 2 }, async ({ connect, server, proxy }) => {
    const clients = [await connect(), await connect(), await connect(), await connect()];
    for (const client of clients) client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    const first = await server.accept();
    const second = await server.accept();
    await eventually('all are there', () => proxy.clientCount === 4);
    expect(server.accepted).toBe(2);
    // One is refused, the other one leaves: both make room.
    first.write(text('{"error":"Wrong password","error_code":12,"success":false}'));
    const third = await server.accept();
    second.socket.destroy();
    const fourth = await server.accept();
    expect(server.accepted).toBe(4);
    for (const upstream of [third, fourth]) {
      await upstream.read(4);
      upstream.write(text(SHAKE.version));
    }
    expect(await clients[2]?.text()).toBe(SHAKE.version);
    expect(await clients[3]?.text()).toBe(SHAKE.version);
  });
});

test('a client that says nothing in its handshake while others wait is told so, and they get in', async () => {
  const { log, lines } = writtenLog('warn');
  await onScene({ maxHandshakes: 1, strangerPatienceMs: 20, log }, async ({ connect, server }) => {
    const idle = await connect();
    idle.write(V1_0);
    const stalled = await server.accept();
    stalled.write(text(SHAKE.version));
    expect(await idle.text()).toBe(SHAKE.version);
    const client = await connect();
    await shakeNew(client, server);
    expect(JSON.parse(await idle.text())).toMatchObject({
      success: false,
      error: expect.stringContaining('others waited'),
    });
    await idle.ended();
    await stalled.ended();
  });
  expect(lines.join('')).toContain('handshake given up');
});

test('a client that waits for upstream in its handshake is not sent away', async () => {
  await onScene({ maxHandshakes: 1, strangerPatienceMs: 0 }, async ({ connect, server }) => {
    const first = await connect();
    first.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
    const upstream = await server.accept();
    const waiting = await connect();
    waiting.write(V0_4);
    // As long as the gate takes to look twice.
    await new Promise<void>((resolve) => {
      const gate = new HandshakeGate(1, 0);
      const inside = gate.pass();
      inside.wait(() => inside.clientOwes(() => inside.leave()));
      const outside = gate.pass();
      outside.wait(() => resolve());
    });
    upstream.write(text('SUCCESS'));
    expect(await first.text()).toBe('SUCCESS');
    await server.accept();
  });
});

test('where the proxy is full, a client that has shown nothing makes room for the next', async () => {
  await onScene({ maxClients: 2, strangerPatienceMs: 0 }, async ({ connect, pair, server }) => {
    const served = await pair();
    const mute = await connect();
    const { client, upstream } = await pair();
    await mute.ended();
    client.write(frame(1, '[5]'));
    expect((await upstream.frame()).body).toBe('[5]');
    const refused = await connect();
    refused.write(V0_4);
    expect(await refused.text()).toBe('ERROR: Too many clients: at most 2 at once (--max-clients).\n');
    expect(server.accepted).toBe(2);
    served.client.write(frame(1, '[5]'));
    expect((await served.upstream.frame()).body).toBe('[5]');
  });
});
