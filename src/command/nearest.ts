// The word that somebody meant who wrote another.

/**
 * The word that takes the fewest changes of one letter each (Levenshtein's distance); the first of several. Callers owe one word
 * at least.
 */
export function nearest(written: string, words: readonly string[]): string {
  const [first = ''] = words;
  return words.reduce((best, word) => (distance(written, word) < distance(written, best) ? word : best), first);
}

/** Levenshtein's distance: how many letters have to be put in, taken away or replaced. */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [taken, letter] of [...from].entries()) {
    const next = [taken + 1];
    for (const [index, other] of [...to].entries()) {
      const [left = 0, above = 0, before = 0] = [next[index], row[index + 1], row[index]];
      next.push(Math.min(left + 1, above + 1, before + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
