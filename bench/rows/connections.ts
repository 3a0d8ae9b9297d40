// The cost of connections: to open, and to keep.

import { residentKib } from '../program.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Lane, Row } from '../row.ts';
import type { Bench, ContenderName } from '../stage.ts';
import { RELAYS } from './point-reads.ts';

const IDLE = 1000;
const AT_ONCE = 20;
const SETTLE_MS = 300;

/** Connect, shake hands as every driver does today, and close. */
export const connecting: Row = {
  name: 'connect',
  title: 'connect, V1_0 handshake, close',
  metrics: [{ name: 'time', unit: 'microseconds' }],
  async prepare(bench) {
    const made: Lane[] = [];
    const count = bench.quick ? 20 : 100;
    for (const [name, { address }] of await bench.contenders(...RELAYS)) {
      made.push({
        name,
        async sample() {
          const start = performance.now();
          for (let i = 0; i < count; i++) await (await RawConnection.open(address)).close();
          return [((performance.now() - start) * 1000) / count];
        },
      });
    }
    return {
      lanes: made,
      rounds: bench.quick ? 5 : 15,
      claims: [
        { metric: 0, of: 'Livefold', to: 'HAProxy' },
        { metric: 0, of: 'Livefold', to: 'plain copy' },
        { metric: 0, of: 'Livefold', to: 'direct' },
      ],
    };
  },
};

/** A thousand clients that do nothing. */
export const idle: Row = {
  name: 'idle',
  title: `${IDLE} idle clients of a proxy just started: memory of the proxy each`,
  metrics: [{ name: 'memory', unit: 'KiB a client' }],
  async prepare(bench) {
    const names: readonly ContenderName[] = ['Livefold', 'HAProxy', 'plain copy'];
    const there = await bench.contenders(...names);
    return {
      lanes: there.map(([name]) => ({ name, sample: async () => [await memoryEach(bench, name)] })),
      rounds: bench.quick ? 1 : 5,
      claims: [{ metric: 0, of: 'Livefold', atMost: 30 }],
    };
  },
};

async function memoryEach(bench: Bench, name: ContenderName): Promise<number> {
  const contender = await bench.start(name);
  if (contender?.pid === undefined) return Number.NaN;
  const first = await open(contender.address, AT_ONCE);
  const before = residentKib(contender.pid);
  const connections = [];
  while (connections.length < IDLE) connections.push(...(await open(contender.address, AT_ONCE)));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const after = residentKib(contender.pid);
  await Promise.all([...first, ...connections].map((connection) => connection.close()));
  await contender.stop();
  return (after - before) / connections.length;
}

function open(address: Parameters<typeof RawConnection.open>[0], count: number): Promise<readonly RawConnection[]> {
  return Promise.all(Array.from({ length: count }, () => RawConnection.open(address)));
}
