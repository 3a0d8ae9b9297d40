// `HOST:PORT` as people write it on command lines.

import { isIPv6 } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Says what is wrong with a text that is no address: one sentence, for the person who wrote it. */
export class AddressError extends Error {}

const HIGHEST_PORT = 65535;

/**
 * Reads `HOST:PORT`, `[IPV6]:PORT`, or a host alone where there is a default port.
 * @throws AddressError for anything else
 */
export function parseAddress(text: string, defaultPort?: number): Address {
  if (text.includes('://')) throw new AddressError('It must be HOST:PORT, without a scheme before it.');
  const bare = isIPv6(text);
  if (bare && defaultPort !== undefined) return { host: text, port: defaultPort };
  const parts = bare ? null : /^(?:\[([^[\]]*)\]|([^:[\]\s]+))(?::(.*))?$/.exec(text);
  if (parts === null) throw new AddressError(looksIPv6(text) ? IN_BRACKETS : 'It must be HOST:PORT.');
  const [, inBrackets, name, portText] = parts;
  if (name !== undefined && portText === undefined && /^\d+$/.test(name)) {
    throw new AddressError(`The host is missing: write it before the port, as in 127.0.0.1:${name}.`);
  }
  if (inBrackets !== undefined && !isIPv6(inBrackets)) {
    throw new AddressError(`Brackets are for IPv6 addresses, and '${inBrackets}' is none.`);
  }
  return { host: inBrackets ?? name ?? '', port: portOf(portText, defaultPort) };
}

const IN_BRACKETS = 'An IPv6 address stands in brackets before its port: [::1]:28015.';

function looksIPv6(text: string): boolean {
  return /^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*(?:%\w+)?$/i.test(text);
}

function portOf(text: string | undefined, defaultPort: number | undefined): number {
  if (text === undefined) {
    if (defaultPort === undefined) throw new AddressError('The port is missing: it must be HOST:PORT.');
    return defaultPort;
  }
  if (text === '') throw new AddressError('The port is missing after the colon.');
  if (!/^\d+$/.test(text)) throw new AddressError(`The port must be a number, and '${text}' is none.`);
  const port = Number(text);
  if (port > HIGHEST_PORT) throw new AddressError(`The port ${text} is out of range: the highest is ${HIGHEST_PORT}.`);
  return port;
}

/** Writes an address so that `parseAddress` reads it. */
export function printAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
