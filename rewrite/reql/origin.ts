// The place of a term in the query that the client sent. The frames of a RethinkDB backtrace are the same path written
// as an array: integers for positional arguments, names for optargs and for the keys of objects.

export type Frame = number | string;

/** A place in the client's query: the chain of frames up to the root, whose own `parent` is `undefined`. */
export interface Origin {
  readonly parent: Origin | undefined;
  readonly frame: Frame;
}

/** The place of the whole query. Its own frame is never shown. */
export const ROOT: Origin = { parent: undefined, frame: '' };

/** The backtrace frames of a place, outermost first; `[]` for the root and for no place at all. */
export function framesOf(origin: Origin | undefined): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = origin; at?.parent !== undefined; at = at.parent) frames.push(at.frame);
  return frames.reverse();
}
