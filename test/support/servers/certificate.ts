// Certificates for tests, made on the spot: X.509 version 3 with an EC key, written as DER (RFC 5280, X.690). Only what
// TLS needs is in them.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, as PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];

function der(tag: number, ...contents: readonly (Buffer | readonly number[])[]): Buffer {
  const body = Buffer.concat(contents.map((content) => Buffer.from(content)));
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...items: readonly Buffer[]): Buffer => der(0x30, ...items);
const oid = (bytes: readonly number[]): Buffer => der(0x06, bytes);
const bits = (bytes: Buffer): Buffer => der(0x03, [0], bytes);

function name(common: string): Buffer {
  return sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(common)))));
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

/** What a host is in a certificate: an address or a DNS name. */
function alternative(host: string): Buffer {
  return isIP(host) === 4 ? der(0x87, host.split('.').map(Number)) : der(0x82, Buffer.from(host));
}

const YEAR = new Date().getUTCFullYear();

/**
 * Makes a certificate for hosts; an authority that may sign others where there are none. Self-signed without an issuer.
 * `until`: the year in whose first days it expires.
 */
export function makeCertificate(
  common: string,
  hosts: readonly string[] = [],
  issuer?: Certificate,
  until: number = YEAR + 10,
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const isAuthority = hosts.length === 0;
  const extensions = isAuthority
    ? [extension(BASIC_CONSTRAINTS, sequence(der(0x01, [0xff])))]
    : [extension(SUBJECT_ALT_NAME, sequence(...hosts.map(alternative)))];
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1], randomBytes(8)),
    algorithm,
    name(issuer?.name ?? common),
    sequence(time(new Date(Date.UTC(until - 11, 0))), time(new Date(Date.UTC(until, 0)))),
    name(common),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const lines =
    sequence(body, algorithm, bits(signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name: common,
    privateKey,
  };
}
