// The error of an element that is taken back and was never applied. RethinkDB tells of a row that goes only after it has told of it;
// where it does not, every value is wrong from there on.

import { opFailed, type ReqlError } from '../reql/error.ts';

/** The error with which a feed ends that is told of the end of something that it has never been told of. */
export function neverApplied(): ReqlError {
  return opFailed(
    'The server told of the end of a row that it had not told of before.  A value computed without that row would be wrong, so this feed ends.  Open it again.',
  );
}
