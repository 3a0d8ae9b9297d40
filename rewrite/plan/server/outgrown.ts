// A fold whose state is whole bags of elements copies them with each change, and makes all of what it shows anew: RethinkDB does so
// with the square of the rows when all of them change, and says nothing meanwhile. So such a fold raises an error before that.

/**
 * Elements that a fold keeps of one source. On a busy machine a change of groups took RethinkDB 2.4.4 9 ms with 300 rows, 27 with 1,000,
 * 60 with 3,000 and 275 with 10,000: where 100,000 rows change at once, days.
 */
export const MOST_ELEMENTS = 1_000;

/** How the text begins. */
export const OUTGROWN = 'Livefold: RethinkDB would have to copy more than';

/** What the fold raises. */
export const OUTGROWN_TEXT: string = `${OUTGROWN} ${MOST_ELEMENTS} elements with each change of this feed.  The proxy folds it without: under \`--plan auto\`, or where no term after \`changes\` and no other feed beside it has to run inside RethinkDB.`;
