// The server's answers about the indexes of one query.

import { serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import type { IndexFields, IndexQuestion, KnownIndexes } from '../../../rewrite/sources/known-index.ts';

/** Answers about indexes. */
export class IndexAnswers {
  readonly #fields = new Map<string, IndexFields | null>();
  readonly known: KnownIndexes = (question) => this.#fields.get(keyOf(question));

  /** All that is known, the same for the same answers. */
  get all(): readonly (readonly [question: string, fields: IndexFields | null])[] {
    return [...this.#fields];
  }

  /** `fields`: `undefined` where there is no such index, or nothing that can be read of it. */
  set(question: IndexQuestion, fields: IndexFields | undefined): void {
    this.#fields.set(keyOf(question), fields ?? null);
  }

  /** Whether it is known to be the primary key, by its name. */
  isPrimaryKey(question: IndexQuestion & { readonly index: string }): boolean {
    return this.#fields.get(keyOf(question))?.primaryKey === question.index;
  }
}

function keyOf({ table, index }: IndexQuestion): string {
  return JSON.stringify([serializeTerm(table), index ?? null]);
}
