// Errors of what several queries share point into the query that began it. Others have the same term under `changes`, but it
// may stand elsewhere in them.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Frame, Origin } from '../../../rewrite/reql/origin.ts';

/** The error at the same place below `to`, a CHANGES term like the one at `from`; at `to` where it is not below that. */
export function atPlace(error: ReqlError, from: Origin | undefined, to: Origin | undefined): ReqlError {
  if (from === to || to === undefined || error.origin === undefined) return error;
  const frames: Frame[] = [];
  let at: Origin | undefined = error.origin;
  for (; at !== undefined && at !== from; at = at.parent) frames.push(at.frame);
  if (at === undefined) return error.at(to);
  return error.at(frames.reduceRight<Origin>((parent, frame) => ({ parent, frame }), to));
}
