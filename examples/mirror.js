// A copy of what a live query shows, kept in step by merges. It goes on where it stopped when it is started again, and steps back and
// forth through its last changes. merge-mirror.js, merge-mirror-rethinkdb-ts.ts and merge-mirror-rethinkdbdash.js use it, each with one
// of the drivers. Copy it, and change what you like.
//
// What a copy knows is JSON: a page keeps it in its storage, a script in a file. A revision of groups and rows can be taken up as long as
// the proxy keeps the feed (`--linger-seconds`), and that of one value always; where it is not kept any more the copy begins anew.

import { applyMerge, composeMerges } from 'livefold/merge';

/** @typedef {import('livefold/merge').Merge} Merge */
/** @typedef {{ group?: unknown, key?: unknown, body?: Merge, reverse?: Merge, rev?: string }} MergeDocument */
/** @typedef {{ name: string, body: Merge, reverse: Merge }} Step */

/** The values of things by their names, what changed last, and the revision up to which that is so. */
export class Mirror {
  /** @param {{ values?: [string, unknown][], steps?: Step[], rev?: string | undefined }} [known] what a copy knew when it stopped */
  constructor({ values = [], steps = [], rev = undefined } = {}) {
    /** @type {Map<string, any>} */
    this.values = new Map(values);
    this.steps = steps;
    this.rev = rev;
  }

  /**
   * Opens the feed where the copy stopped, or from the beginning.
   * @param {(options: { format: 'merge', includeRevs: true, since?: string, includeInitial?: true }) => Promise<any>} run
   *   runs the query with these options of `changes`
   * @returns {Promise<any>} the driver's feed
   */
  async open(run) {
    /** @type {{ format: 'merge', includeRevs: true }} */
    const options = { format: 'merge', includeRevs: true };
    if (this.rev === undefined) return run({ ...options, includeInitial: true });
    try {
      return await run({ ...options, since: this.rev });
    } catch (error) {
      if (!(error instanceof Error) || !/from `since`/.test(error.message)) throw error;
      this.values.clear();
      this.steps = [];
      this.rev = undefined;
      return this.open(run);
    }
  }

  /**
   * Takes a document in.
   * @param {MergeDocument} document
   */
  take({ group, key, body, reverse, rev }) {
    const name = JSON.stringify(group ?? key ?? null);
    if (body !== undefined) this.put(name, body);
    if (body !== undefined && reverse !== undefined) this.steps.push({ name, body, reverse });
    this.rev = rev;
  }

  /**
   * The value of a group or of a row by its key; of the query itself without one.
   * @param {unknown} [name]
   */
  valueOf(name = null) {
    return this.values.get(JSON.stringify(name));
  }

  /**
   * Goes so many changes back.
   * @param {number} count
   */
  back(count) {
    for (const { name, reverse } of this.steps.slice(-count).reverse()) this.put(name, reverse);
  }

  /**
   * Goes so many of the last changes forth again.
   * @param {number} count
   */
  forth(count) {
    for (const { name, body } of this.steps.slice(-count)) this.put(name, body);
  }

  /**
   * What the last changes come to for one thing.
   * @param {unknown} name
   * @param {number} count
   */
  net(name, count) {
    const steps = this.steps.slice(-count).filter((step) => step.name === JSON.stringify(name));
    return steps.map(({ body }) => body).reduce(composeMerges);
  }

  /**
   * @param {string} name
   * @param {Merge} merge
   */
  put(name, merge) {
    const value = applyMerge(this.values.get(name), merge);
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
  }

  toJSON() {
    return { values: [...this.values], steps: this.steps, rev: this.rev };
  }
}
