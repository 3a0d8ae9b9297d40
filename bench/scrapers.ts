// Asks the admin port of a Livefold until it is killed: `scrapers.ts HOST:PORT`. 1,000 scrapers ask every 15 seconds, each over a
// connection of its own, and 100 pages follow.

import { Agent, request } from 'node:http';
import { parseAddress } from '../proxy/upstream/address.ts';

const SCRAPERS = 1000;
const SCRAPE_MS = 15_000;
const PAGES = 100;

const address = parseAddress(process.argv[2] ?? '');
for (let page = 0; page < PAGES; page++) {
  request({ ...address, path: '/api/events' }, (events) => events.resume()).end();
}
for (let scraper = 0; scraper < SCRAPERS; scraper++) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const scrape = (): void => {
    request({ ...address, path: '/metrics', agent }, (answer) => answer.resume()).end();
  };
  // Spread over the time between two of one.
  const begin = (scraper / SCRAPERS) * SCRAPE_MS;
  setTimeout(() => {
    scrape();
    setInterval(scrape, SCRAPE_MS);
  }, begin);
}
console.log('asking');
