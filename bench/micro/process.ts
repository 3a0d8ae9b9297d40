// One measurement without sockets in a process: `process.ts NAME SIZE` prints its numbers as JSON.

import { micros } from './index.ts';

const [name = '', size = '0'] = process.argv.slice(2);
const micro = Object.entries(micros).find(([known]) => known === name)?.[1];
if (micro === undefined) throw new Error(`no measurement is called ${name}`);
process.stdout.write(JSON.stringify(await micro(Number(size))));
