// `HOST:PORT` as people write it on command lines.

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`, `[IPV6]:PORT`, or `HOST` alone where there is a default port. `undefined`: it is neither. */
export function parseAddress(text: string, defaultPort?: number): Address | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
  if (host === undefined || port === undefined || port > 65535) return undefined;
  return { host, port };
}

/** Writes an address so that `parseAddress` reads it. */
export function printAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
