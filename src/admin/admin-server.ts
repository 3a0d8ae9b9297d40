// The admin server: HTTP for operators and their tools. It runs beside what serves clients, and owes to take little of its time:
// what many ask is read once for all, and there are limits to how many ask, how long, and how slowly.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Address } from '../../proxy/upstream/address.ts';
import { Access } from './access.ts';
import type { Gathered } from './gathered.ts';
import type { PageFile } from './page-files.ts';
import { type Method, ROUTES, type Route } from './routes.ts';

/** The settings of an admin server. */
export interface AdminSettings {
  readonly listen: Address;
  readonly token: string | undefined;
  readonly gathered: Gathered;
  /** Opens an event stream; the function returned ends it. `undefined` where there are too many. */
  readonly openEvents: (sink: ServerResponse) => (() => void) | undefined;
  /** Files that are answered as they are, by their paths. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** A mistake of ours has left a request without an answer. */
  readonly failed: (error: unknown) => void;
}

/** An admin server that listens. */
export interface AdminServer {
  /** The port is the real one where 0 was asked for. */
  readonly address: Address;
  close(): void;
}

/** Headers of a request: what Prometheus and browsers send is far shorter. */
const MOST_HEADER_BYTES = 8 * 1024;
/** Connections at once; the next is closed as it comes. */
const MOST_CONNECTIONS = 2000;
/** For all of a request, and between two, in milliseconds. */
const REQUEST_MS = 5000;
const IDLE_MS = 60_000;
const LOOK_MS = 1000;

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** The type of Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Nothing here is kept by anybody on the way, or taken for something else than it says. */
const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** What is answered. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Kind = keyof typeof ROUTES;

/** A request and the ways to answer it. */
interface Asked {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Starts an admin server. Rejects with the system's error where it cannot listen. */
export async function startAdmin(settings: AdminSettings): Promise<AdminServer> {
  const { listen } = settings;
  const responder = new Responder(settings);
  const server = createServer(
    {
      maxHeaderSize: MOST_HEADER_BYTES,
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    (request, response) => void responder.respond(request, response),
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', (_error, socket) => socket.destroy());
  await listenAt(server, listen);
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : listen.port;
  return {
    address: { host: listen.host, port },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listenAt(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}

/** Answers requests. */
class Responder {
  readonly #settings: AdminSettings;
  readonly #access: Access;

  constructor(settings: AdminSettings) {
    this.#settings = settings;
    this.#access = new Access(settings.listen, settings.token);
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    // Nobody has anything to say here beyond the headers.
    if (hasBody(request)) response.shouldKeepAlive = false;
    try {
      await this.#route(request, response);
    } catch (error) {
      this.#settings.failed(error);
      send(request, response, failure(request, 500, 'livefold could not answer: the log says why.'));
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request);
    const [kinds, id] = kindsOf(path);
    const isFile = this.#settings.files.has(path);
    const methods: readonly string[] = isFile ? ROUTES.page.methods : kinds.flatMap((kind) => ROUTES[kind].methods);
    const kind = isFile ? 'page' : kinds.find((each) => includes(ROUTES[each], request.method));
    const route: Route | undefined = kind === undefined ? undefined : ROUTES[kind];
    const denial = this.#access.denial(request, route ?? {});
    if (denial !== undefined) {
      const headers = denial.status === 401 ? { 'WWW-Authenticate': 'Basic realm="livefold", charset="UTF-8"' } : {};
      send(request, response, { ...failure(request, denial.status, denial.error), headers });
    } else if (methods.length === 0 || (kind === 'page' && !isFile)) {
      send(request, response, failure(request, 404, 'There is nothing here.'));
    } else if (kind === undefined || !methods.includes(request.method ?? '')) {
      const headers = { Allow: methods.join(', ') };
      send(request, response, { ...failure(request, 405, `This takes ${methods.join(' and ')} alone.`), headers });
    } else {
      await this.#answers[kind]({ id, request, response });
    }
  }

  readonly #answers: { readonly [K in Kind]: (asked: Asked) => Promise<void> | void } = {
    page: ({ request, response }) => {
      const file = this.#settings.files.get(pathOf(request));
      if (file === undefined) return;
      const isKnown = request.headers['if-none-match'] === file.headers['ETag'];
      response.writeHead(isKnown ? 304 : 200, {
        ...file.headers,
        ...(isKnown ? {} : { 'Content-Length': file.body.length }),
      });
      response.end(isKnown || request.method === 'HEAD' ? undefined : file.body);
    },
    metrics: async ({ request, response }) => {
      send(request, response, { status: 200, type: METRICS_TYPE, body: await this.#gathered.metrics() });
    },
    healthz: ({ request, response }) => send(request, response, { status: 200, type: TEXT, body: 'it serves\n' }),
    readyz: ({ request, response }) => {
      const { readiness } = this.#gathered;
      const answer = readiness.ready
        ? { status: 200, type: TEXT, body: 'ready\n' }
        : { status: 503, type: TEXT, body: `${readiness.reason}\n` };
      send(request, response, answer);
    },
    status: async ({ request, response }) => send(request, response, json(await this.#gathered.status())),
    events: ({ request, response }) => {
      response.setHeaders(new Map(Object.entries({ ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' })));
      const end = this.#settings.openEvents(response);
      if (end === undefined) send(request, response, failure(request, 503, 'There are too many streams of events.'));
      else response.on('close', end);
    },
    feed: async ({ id, request, response }) => {
      const detail = await this.#gathered.feed(id);
      send(request, response, detail === undefined ? failure(request, 404, `There is no feed ${id}.`) : json(detail));
    },
    endFeed: async (asked) => this.#ended(asked, await this.#gathered.endFeed(asked.id), 'feed'),
    endClient: async (asked) => this.#ended(asked, await this.#gathered.endClient(asked.id), 'client'),
  };

  get #gathered(): Gathered {
    return this.#settings.gathered;
  }

  #ended({ id, request, response }: Asked, was: boolean, what: string): void {
    const answer = was ? { status: 204, type: TEXT, body: '' } : failure(request, 404, `There is no ${what} ${id}.`);
    send(request, response, answer);
  }
}

/** The path that is asked for, without what is asked of it. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const [path = '/'] = url.split('?');
  return path;
}

/** Ids as they stand in paths. */
const ID = /^[\w-]{1,64}$/;

/** The routes of a path, and the id in it. */
function kindsOf(path: string): readonly [kinds: readonly Kind[], id: string] {
  const cut = path.lastIndexOf('/') + 1;
  const id = path.slice(cut);
  const withId = ID.test(id) ? `${path.slice(0, cut)}ID` : path;
  const kinds = (Object.keys(ROUTES) as Kind[]).filter(
    (kind) => ROUTES[kind].path === path || ROUTES[kind].path === withId,
  );
  return [kinds, id];
}

function includes({ methods }: Route, method: string | undefined): boolean {
  return methods.some((each: Method) => each === method);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function json(value: object): Answer {
  return { status: 200, type: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}

function failure(request: IncomingMessage, status: number, error: string): Answer {
  if (pathOf(request).startsWith('/api/')) return { ...json({ error }), status };
  return { status, type: TEXT, body: `${error}\n` };
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    ...(status === 204 ? {} : { 'Content-Type': type, 'Content-Length': bytes.length }),
  });
  response.end(request.method === 'HEAD' || status === 204 ? undefined : bytes);
}
