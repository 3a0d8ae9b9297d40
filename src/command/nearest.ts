// The word that somebody meant who wrote another.

/**
 * The word that takes the fewest changes of one letter each (Levenshtein's distance); of several the one of which most of the
 * beginning was written, and the first of these. Callers owe one word at least.
 */
export function nearest(written: string, words: readonly string[]): string {
  const [first = ''] = words;
  const farness = (word: string): number => distance(written, word) - alike(written, word) / (written.length + 1);
  return words.reduce((best, word) => (farness(word) < farness(best) ? word : best), first);
}

/** How many letters two words have in common at their beginning. */
function alike(one: string, other: string): number {
  const differs = [...one].findIndex((letter, at) => letter !== other[at]);
  return differs < 0 ? one.length : differs;
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
