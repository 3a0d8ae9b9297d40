// The progress of a share: what upstream has told, what of it is shown, and how long that took. For those who look on.

import type { HealingReport, ObservedShare, Observer } from '../observer/observer.ts';

/** The progress of one share. Times are milliseconds on a clock that does not go back. */
export class Progress {
  readonly #startedAt: number = performance.now();
  #changesRead = 0;
  /** When the oldest change was told that is not shown yet. */
  #heardAt: number | undefined;
  /** When the oldest change was told that stands in the log, and that those who wait do not have yet. */
  #unwrittenSince: number | undefined;
  #lastStepAt: number | undefined;
  #healing: { readonly report: HealingReport; readonly at: number } | undefined;
  #isReady = false;

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Documents that upstream has told. */
  get changesRead(): number {
    return this.#changesRead;
  }

  /** See `ObservedShare`. Before there is anything to show, nothing is behind. */
  get frontierAgeMs(): number {
    return this.#isReady && this.#heardAt !== undefined ? performance.now() - this.#heardAt : 0;
  }

  get lastStepAgeMs(): number | undefined {
    return this.#lastStepAt === undefined ? undefined : performance.now() - this.#lastStepAt;
  }

  get lastHealing(): ObservedShare['lastHealing'] {
    if (this.#healing === undefined) return undefined;
    return { ...this.#healing.report, agoMs: performance.now() - this.#healing.at };
  }

  /** Upstream has told so many documents. */
  heard(documents: number): void {
    if (documents === 0) return;
    this.#changesRead += documents;
    this.#heardAt ??= performance.now();
  }

  /** All that there was at first has been read. */
  ready(): void {
    this.#isReady = true;
    this.#heardAt = undefined;
  }

  /** Something that differs stands in the log. */
  told(): void {
    this.#unwrittenSince ??= this.#heardAt ?? performance.now();
  }

  /** All that was told is shown. */
  settled(): void {
    this.#heardAt = undefined;
  }

  /** All who wait have what stands in the log. */
  written(observer: Pick<Observer, 'changeWritten'>): void {
    if (this.#unwrittenSince === undefined) return;
    this.#lastStepAt = performance.now();
    observer.changeWritten(this.#lastStepAt - this.#unwrittenSince);
    this.#unwrittenSince = undefined;
  }

  /** The state that is shown is old from here on. */
  healing(): void {
    this.#heardAt = performance.now();
  }

  /** It has been read again. */
  healed(report: HealingReport): void {
    this.#healing = { report, at: performance.now() };
    this.#heardAt = undefined;
  }
}
