// The last values of a number as a line of bars.

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Bars from the least to the greatest of the numbers; `''` where there are fewer than two. */
export function sparkline(numbers: readonly number[], columns: number): string {
  const shown = numbers.slice(-columns);
  if (shown.length < 2) return '';
  const [least, greatest] = [Math.min(...shown), Math.max(...shown)];
  const span = greatest - least || 1;
  return shown.map((each) => BARS[Math.round(((each - least) / span) * (BARS.length - 1))]).join('');
}
