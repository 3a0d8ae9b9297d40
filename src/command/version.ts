// The version of this livefold.

import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function versionOfPackage(): string {
  // Two levels above this file in the sources, three in the built package.
  for (const place of ['../../package.json', '../../../package.json']) {
    try {
      const { version }: { version: string } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      return version;
    } catch {
      // Not here.
    }
  }
  return 'unknown';
}
