// The tokens that the proxy made up on one connection to upstream: for feeds, and for questions of its own. All others are
// not in here, and cost nothing.

import { randomBytes } from 'node:crypto';
import type { ReqlError } from '../../rewrite/reql/error.ts';
import { readToken, type Token } from '../wire/frame.ts';

/** The route of responses under a token of the table. */
export interface Route {
  response(body: Buffer): void;
  /** The response that is coming cannot be kept; absent where responses are short. */
  fail?(error: ReqlError): void;
}

const TOKEN_BYTES = 8;
/** So many tokens are made at once: a question to the system for each would take longer than all the rest of a short query. */
const AT_ONCE = 16;

/** Makes tokens that no one can foresee, so that no client can have one in use or come to use it. */
function randomTokens(): () => Token {
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === bytes.length) {
      bytes = randomBytes(TOKEN_BYTES * AT_ONCE);
      at = 0;
    }
    const token = readToken(bytes.subarray(at, at + TOKEN_BYTES));
    at += TOKEN_BYTES;
    return token;
  };
}

/** Routes by token. */
export class TokenTable {
  readonly #routes = new Map<Token, Route>();
  readonly #makeToken: () => Token;

  /** `makeToken` makes the tokens of the proxy's own queries. */
  constructor(makeToken: () => Token = randomTokens()) {
    this.#makeToken = makeToken;
  }

  get size(): number {
    return this.#routes.size;
  }

  get(token: Token): Route | undefined {
    return this.#routes.get(token);
  }

  set(token: Token, route: Route): void {
    this.#routes.set(token, route);
  }

  /** Frees a token; only if it still has this route. */
  delete(token: Token, route: Route): void {
    if (this.#routes.get(token) === route) this.#routes.delete(token);
  }

  /** A token for a query of the proxy's own. */
  fresh(): Token {
    let token = this.#makeToken();
    while (this.#routes.has(token)) token = this.#makeToken();
    return token;
  }

  clear(): void {
    this.#routes.clear();
  }
}
