// A turn of work. Work that can be long asks now and then whether its turn is over, leaves the rest, and goes on with it in
// the next turn: a feed of a million rows must not hold up another client's read.

/** A share of time. */
export interface Turn {
  /** Whether the work had better go on in another turn. Cheap: asked for each row. */
  isOver(): boolean;
}

/** A turn that takes as long as the work. */
export const WHOLE_TURN: Turn = { isOver: () => false };

/** Work that is done in turns. */
export interface Job {
  /** Goes on until all is done or the turn is over; says whether all is done. It throws nothing. */
  work(turn: Turn): boolean;
}
