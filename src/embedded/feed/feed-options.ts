// The options of `changes`.

export interface FeedOptions {
  /** Whether changes waiting to be sent are composed per row. */
  readonly squash: boolean;
  /** The least time between two batches in seconds; 0 for none. */
  readonly interval: number;
  readonly includeInitial: boolean;
  readonly includeStates: boolean;
  readonly includeTypes: boolean;
  readonly includeOffsets: boolean;
  /** How many changes may wait before they are thrown away. */
  readonly queueSize: number;
}
