// Access to the admin server: nobody through a name that is not its own, since a page of another site can make a browser ask
// whatever name it has in its hands; and, where there is a token, whoever has it.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Address } from '../../proxy/upstream/address.ts';
import type { Route } from './routes.ts';

/** The denial of a request: its reason, and the answer. */
export interface Denial {
  readonly status: 401 | 403 | 421;
  readonly error: string;
}

/** The rules of one admin server. */
export class Access {
  readonly #token: Buffer | undefined;
  readonly #names: ReadonlySet<string>;

  /** @param listen where it listens: a name there is one of its own */
  constructor(listen: Address, token: string | undefined) {
    this.#token = token === undefined ? undefined : digest(token);
    this.#names = new Set(['localhost', listen.host.toLowerCase(), hostname().toLowerCase()]);
  }

  /** Why a request is refused; `undefined` where it is not. */
  denial(
    request: IncomingMessage,
    { isOpen = false, needsToken = false }: Pick<Route, 'isOpen' | 'needsToken'>,
  ): Denial | undefined {
    const hasToken = this.#hasToken(request);
    // A browser that is led astray has no token to show.
    if (!hasToken && !this.#isOwn(request.headers.host)) {
      return {
        status: 421,
        error: 'The Host of the request is not this server: ask by its address, or with the token.',
      };
    }
    if (needsToken && this.#token === undefined) {
      return { status: 403, error: 'Nothing can be changed here: livefold was started without --admin-token.' };
    }
    if (isOpen || hasToken || this.#token === undefined) return undefined;
    return { status: 401, error: 'The token of --admin-token is missing, or is another one.' };
  }

  /** Whether a Host header names this server: an address, or one of its names. */
  #isOwn(host: string | undefined): boolean {
    if (host === undefined) return false;
    const [, inBrackets, name] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
    return isIP(inBrackets ?? name ?? '') !== 0 || (name !== undefined && this.#names.has(name.toLowerCase()));
  }

  #hasToken({ headers: { authorization = '' } }: IncomingMessage): boolean {
    if (this.#token === undefined) return false;
    const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
    switch (scheme.toLowerCase()) {
      case 'bearer':
        return timingSafeEqual(digest(credentials), this.#token);
      case 'basic': {
        const text = Buffer.from(credentials, 'base64').toString();
        return timingSafeEqual(digest(text.slice(text.indexOf(':') + 1)), this.#token);
      }
    }
    return false;
  }
}

/** Of any text as many bytes, so that comparing takes as long whatever it is. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
