// A proxy that copies bytes and knows nothing: what Node can do at best. `plain-proxy.ts HOST PORT`.

import { connect, createServer, type Socket } from 'node:net';

const [host = '127.0.0.1', port = '28015'] = process.argv.slice(2);

function copy(from: Socket, to: Socket): void {
  from.on('data', (chunk) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('close', () => to.destroy());
  from.on('error', () => to.destroy());
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const upstream = connect({ host, port: Number(port), noDelay: true, allowHalfOpen: true });
  copy(client, upstream);
  copy(upstream, client);
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`listening on ${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
