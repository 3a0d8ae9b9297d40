// Adds up the documents of a feed with a reducer to the outputs that it tells of.

/** A value, of a group where there are groups, with how often it is an output. */
export interface Counted {
  readonly group?: unknown;
  readonly value: unknown;
  readonly count: number;
}

interface Told {
  readonly group?: unknown;
  readonly value?: unknown;
  readonly count?: number;
  readonly old_val?: unknown;
  readonly new_val?: unknown;
}

/** Outputs by what documents say. */
export class OutputState {
  readonly #counts = new Map<string, number>();

  add(document: unknown): void {
    const { group, value, count, old_val: gone, new_val: come }: Told = isTold(document) ? document : {};
    if (count === 0) throw new Error('a document of nothing');
    if (count !== undefined) this.#count(nameOf({ group, value }), count);
    else {
      this.#count(nameOf({ group, value: gone }), -1);
      this.#count(nameOf({ group, value: come }), 1);
    }
  }

  /** Whether these are the outputs. */
  equals(outputs: readonly Counted[]): boolean {
    const wanted = new Map<string, number>();
    for (const output of outputs) {
      const name = nameOf(output);
      wanted.set(name, (wanted.get(name) ?? 0) + output.count);
    }
    return wanted.size === this.#counts.size && [...wanted].every(([name, count]) => this.#counts.get(name) === count);
  }

  toString(): string {
    return JSON.stringify([...this.#counts]);
  }

  #count(name: string, by: number): void {
    const count = (this.#counts.get(name) ?? 0) + by;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

function nameOf({ group, value }: Omit<Counted, 'count'>): string {
  return JSON.stringify(group === undefined ? [value] : [group, value]);
}

function isTold(document: unknown): document is Told {
  return typeof document === 'object' && document !== null;
}
