// A large table, whose rows have `n`: numbers out of order, each but a few once.

import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import type { Database } from './stage.ts';

/** The table, as text. */
export const BIG = "r.table('big')";

const CHUNK = 5000;

/** Makes the table, and fills it. */
export async function fillBig({ address }: Database, rows: number): Promise<void> {
  const owner = await Client.connect(address);
  await owner.run(queryOfText("r.tableCreate('big', {durability: 'soft'})"));
  for (let first = 0; first < rows; first += CHUNK) {
    const range = `r.range(${first}, ${Math.min(rows, first + CHUNK)})`;
    await owner.run(
      queryOfText(`${BIG}.insert(${range}.map(i => ({id: i, n: i.mul(7919).mod(1000003)})).coerceTo('array'))`),
    );
  }
  owner.close();
}
