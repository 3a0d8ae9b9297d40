// The counts of a write's outcomes, row by row, in the form that the client gets (table_common.cc,
// make_row_replacement_stats).

import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';

const COUNTS = ['deleted', 'errors', 'inserted', 'replaced', 'skipped', 'unchanged'] as const;
export type Count = (typeof COUNTS)[number];

/** The documents of one write, counted. */
export class WriteStats {
  readonly #counts = new Map<Count, number>();
  readonly #changes: Datum[] = [];
  readonly #generatedKeys: string[] = [];
  readonly #arrayLimit: number;
  #listsChanges = false;
  #changesCut = false;
  #keysSkipped = 0;
  #firstError: string | undefined;

  constructor(arrayLimit: number) {
    this.#arrayLimit = arrayLimit;
  }

  count(what: Count): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  error(message: string): void {
    this.count('errors');
    this.#firstError ??= message;
  }

  /** Shows the field `changes`, though it may stay empty. */
  listChanges(): void {
    this.#listsChanges = true;
  }

  change(document: DatumObject): void {
    if (this.#changes.length < this.#arrayLimit) this.#changes.push(document);
    else this.#changesCut = true;
  }

  generatedKey(key: string): void {
    if (this.#generatedKeys.length < this.#arrayLimit) this.#generatedKeys.push(key);
    else this.#keysSkipped++;
  }

  toDatum(): DatumObject {
    const stats: Record<string, Datum> = {};
    if (this.#listsChanges) stats['changes'] = this.#changes;
    for (const name of ['deleted', 'errors'] as const) stats[name] = this.#counts.get(name) ?? 0;
    if (this.#firstError !== undefined) stats['first_error'] = this.#firstError;
    if (this.#generatedKeys.length > 0) stats['generated_keys'] = this.#generatedKeys;
    for (const name of ['inserted', 'replaced', 'skipped', 'unchanged'] as const) {
      stats[name] = this.#counts.get(name) ?? 0;
    }
    const warnings = this.#warnings();
    if (warnings.length > 0) stats['warnings'] = warnings;
    return stats;
  }

  #warnings(): readonly string[] {
    const cut = `Too many changes, array truncated to ${this.#arrayLimit}.`;
    const generated = this.#generatedKeys.length;
    const skipped = `Too many generated keys (${this.#keysSkipped + generated}), array truncated to ${generated}.`;
    return [...(this.#changesCut ? [cut] : []), ...(this.#keysSkipped > 0 ? [skipped] : [])];
  }
}
