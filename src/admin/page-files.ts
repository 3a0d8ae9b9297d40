// The files of the page at `/`: read once, from beside the program.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** A file as it is answered. */
export interface PageFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether they come from the sources or from the built program, the files are in a folder of this name beside this one. */
const FOLDER = new URL('./page/', import.meta.url);

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** The page loads nothing from elsewhere, runs nothing that is not a file of its own, and is shown in no other page. */
const SECURITY: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The files by the path that they are asked for: the page itself is `/`. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const names = readdirSync(FOLDER).filter((name) => TYPES.has(extname(name)));
  return new Map(names.map((name) => [name === 'index.html' ? '/' : `/${name}`, readPageFile(name)]));
}

function readPageFile(name: string): PageFile {
  const body = readFileSync(new URL(name, FOLDER));
  const tag = createHash('sha256').update(body).digest('base64url');
  return {
    body,
    headers: {
      'Content-Type': TYPES.get(extname(name)) ?? '',
      // A browser asks each time whether a file is as it was, since a new version has the same names.
      'Cache-Control': 'no-cache',
      ETag: `"${tag}"`,
      ...SECURITY,
    },
  };
}
