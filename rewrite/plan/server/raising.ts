// What a fold raises by itself, beside what its terms do: that it has met a gap, or has too many elements. A term of the client's can say
// any text, so that those who read the errors tell these by a mark that no client knows.

/** How a fold raises errors of its own. */
export interface Raising {
  /** Elements of a source that it may keep one by one; `undefined` where that is not bounded. */
  readonly most: number | undefined;
  /** What the texts begin with. Empty where nobody reads them but the client. */
  readonly mark: string;
}
