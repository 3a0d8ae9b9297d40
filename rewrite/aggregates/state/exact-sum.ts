// An exact sum of doubles in process: numbers go in and out in any order, and the value is the exact result rounded once.
// The sum is kept as partials, doubles that do not overlap (Shewchuk 1997, the method of Python's `fsum`).

/** Numbers from here on are summed apart, scaled down, so that no partial overflows. */
const HUGE = 2 ** 900;
const SCALE = 2 ** 200;

/** The exact sum of a changing bag of finite doubles. */
export class ExactSum {
  readonly #partials = new Partials();
  readonly #huge = new Partials();

  add(x: number): void {
    if (Math.abs(x) < HUGE) this.#partials.add(x);
    else this.#huge.add(x / SCALE);
  }

  subtract(x: number): void {
    this.add(-x);
  }

  /** The sum, rounded to nearest; infinite where no double holds it. Never -0. */
  get value(): number {
    if (this.#huge.isEmpty) return this.#partials.rounded;
    const all = new Partials();
    // Dividing a small partial may round it, which does not matter beside a huge one, except that a nonzero one must not
    // become zero: it may decide a tie.
    for (const partial of this.#partials.values) all.add(scaledDown(partial));
    for (const partial of this.#huge.values) all.add(partial);
    if (Math.abs(all.rounded) >= HUGE / SCALE) return all.rounded * SCALE;
    const near = new Partials();
    for (const partial of this.#huge.values) near.add(partial * SCALE);
    for (const partial of this.#partials.values) near.add(partial);
    return near.rounded;
  }
}

function scaledDown(partial: number): number {
  return partial / SCALE || Math.sign(partial) * Number.MIN_VALUE;
}

/** Doubles that do not overlap, smallest first, none of them zero; together they are a sum without rounding. */
class Partials {
  readonly values: number[] = [];

  get isEmpty(): boolean {
    return this.values.length === 0;
  }

  add(x: number): void {
    const { values } = this;
    let sum = x;
    let kept = 0;
    for (let i = 0; i < values.length; i++) {
      const partial = values[i] ?? 0;
      const high = sum + partial;
      const part = high - sum;
      const low = sum - (high - part) + (partial - part);
      if (low !== 0) values[kept++] = low;
      sum = high;
    }
    if (sum !== 0) values[kept++] = sum;
    // Setting a length is no small thing to V8, even where it is the same.
    if (values.length !== kept) values.length = kept;
  }

  /** The sum rounded to nearest, halves to even. */
  get rounded(): number {
    const { values } = this;
    let sum = values.at(-1) ?? 0;
    for (let i = values.length - 2; i >= 0; i--) {
      const partial = values[i] ?? 0;
      const high = sum + partial;
      const low = partial - (high - sum);
      if (low === 0) {
        sum = high;
        continue;
      }
      // The partials below decide a tie: the sum is half way only if none of the same sign follows.
      const below = values[i - 1] ?? 0;
      const twice = low * 2;
      return low > 0 === below > 0 && below !== 0 && high + twice - high === twice ? high + twice : high;
    }
    return sum;
  }
}
