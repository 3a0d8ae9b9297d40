// The recorded answers that our evaluator does not give, each with the reason. The replay fails on a row that is missing
// here, and on one that no longer belongs here.

export interface Disagreement {
  /** The term as it was sent. */
  readonly ast: string;
  readonly reason: string;
}

export const disagreements: readonly Disagreement[] = [];
