// The options of a CHANGES term: its optargs, checked and evaluated. Both plans show what these ask for.

/** The options of one feed. */
export interface FeedOptions {
  /** The value or rows there are already come first (`include_initial`). */
  readonly includeInitial: boolean;
  /** `{state: 'initializing'}` before the initial values, `{state: 'ready'}` after them (`include_states`). */
  readonly includeStates: boolean;
  /** Each document carries a `type`: `state`, `initial`, `add`, `remove` or `change` (`include_types`). */
  readonly includeTypes: boolean;
  /** Whether changes waiting to be sent are composed; a number: into at most one batch per so many seconds. */
  readonly squash: boolean | number;
  /** How many changes may wait before they are composed or lost (`changefeed_queue_size`); `undefined`: the default. */
  readonly queueSize: number | undefined;
  /** Whether the feed may be carried along with equal ones of the same user (`shared`). */
  readonly shared: boolean;
  /** Whether `{state: 'healing'}` and `{state: 'healed'}` are shown while what RethinkDB has ended is read again (`include_healing`). */
  readonly includeHealing: boolean;
  /** Seconds, 0.01 or more, without a document after which `{state: 'alive'}` is shown, if RethinkDB answers (`heartbeat`); never if `undefined`. */
  readonly heartbeat: number | undefined;
  /** `merge`: documents are `{key, body, reverse}`, in place of `old_val` and `new_val` (`format`). */
  readonly format: DocumentFormat;
  /** Each document carries a `rev`, from which the feed can be taken up (`include_revs`). */
  readonly includeRevs: boolean;
  /** The `rev` from which on the feed is taken up (`since`). */
  readonly since: string | undefined;
}

/** The form of a change. */
export type DocumentFormat = 'changes' | 'merge';
