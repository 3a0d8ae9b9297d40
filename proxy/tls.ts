// TLS on both sides: from the names of files to what node:tls takes. Files are read here and nowhere else.

import { X509Certificate } from 'node:crypto';
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

/** Certificates towards clients. Throws what reading the files, or the certificates in them, throws. */
export function readClientTls(files: ClientTlsFiles): TlsOptions {
  const context: SecureContextOptions = {
    cert: readCertificates(files.cert),
    key: readFileSync(files.key),
    minVersion: MIN_VERSION,
  };
  if (files.clientCa === undefined) return context;
  return { ...context, ca: readCertificates(files.clientCa), requestCert: true, rejectUnauthorized: true };
}

/** The moment at which the first certificate of a file ceases to be valid. */
export function expiryOf(file: string): Date {
  return new Date(new X509Certificate(readFileSync(file)).validTo);
}

/** The problem of a connection, in one line: OpenSSL's own texts have places of its sources in them. */
export function problemOf(error: Error): string {
  if (error instanceof AggregateError) {
    // Several addresses of a name were tried.
    return error.errors.map((each: unknown) => (each instanceof Error ? problemOf(each) : String(each))).join('; ');
  }
  const reason = 'library' in error && 'reason' in error ? error.reason : WRITTEN.exec(error.message)?.[1];
  if (reason === undefined) return error.message;
  return reason === 'wrong version number' ? 'TLS: the other end does not speak it' : `TLS: ${reason}`;
}

/** What OpenSSL says of a handshake that has failed while Node was writing: its error has no fields for it. */
const WRITTEN = /:SSL routines:[^:]*:([^:]+):/;

/** A file of certificates. One in which there are none would trust nobody, without a word. */
function readCertificates(file: string): Buffer {
  const content = readFileSync(file);
  new X509Certificate(content);
  return content;
}

/** The settings of TLS with upstream; the authorities can be read again while connections are open. */
export class UpstreamTls {
  readonly #files: UpstreamTlsFiles;
  #ca: Buffer | undefined;

  /** Throws what reading the file, or the certificates in it, throws. */
  constructor(files: UpstreamTlsFiles) {
    this.#files = files;
    this.reload();
  }

  /** Reads the authorities again, for connections from now on; those it had stay where that throws. */
  reload(): void {
    this.#ca = this.#files.ca === undefined ? undefined : readCertificates(this.#files.ca);
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
