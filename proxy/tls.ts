// TLS on both sides: from the names of files to what node:tls takes. Files are read here and nowhere else.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContextOptions, TlsOptions } from 'node:tls';

const MIN_VERSION = 'TLSv1.2';

/** Files for TLS towards clients. */
export interface ClientTlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Where given, clients need a certificate signed by one of these. */
  readonly clientCa?: string | undefined;
}

/** Files and names for TLS towards RethinkDB. */
export interface UpstreamTlsFiles {
  /** Authorities to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** The name the server's certificate must carry, where it is not the host connected to. */
  readonly serverName?: string | undefined;
}

/** Certificates towards clients. Throws what reading the files throws. */
export function readClientTls(files: ClientTlsFiles): TlsOptions {
  const context: SecureContextOptions = {
    cert: readFileSync(files.cert),
    key: readFileSync(files.key),
    minVersion: MIN_VERSION,
  };
  if (files.clientCa === undefined) return context;
  return { ...context, ca: readFileSync(files.clientCa), requestCert: true, rejectUnauthorized: true };
}

/** How to speak TLS with upstream; the authorities can be read again while connections are open. */
export class UpstreamTls {
  readonly #files: UpstreamTlsFiles;
  #ca: Buffer | undefined;

  /** Throws what reading the file throws. */
  constructor(files: UpstreamTlsFiles) {
    this.#files = files;
    this.reload();
  }

  /** Reads the authorities again, for connections from now on. Throws what reading the file throws. */
  reload(): void {
    this.#ca = this.#files.ca === undefined ? undefined : readFileSync(this.#files.ca);
  }

  connectOptions(host: string): ConnectionOptions {
    const servername = this.#files.serverName ?? host;
    return {
      minVersion: MIN_VERSION,
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
      // An IP address may not be sent as a server name (RFC 6066); the certificate is still checked against it.
      ...(isIP(servername) === 0 ? { servername } : {}),
    };
  }
}
