// A fold whose state is whole bags of elements copies them with each change, and makes all of what it shows anew: RethinkDB does so
// with the square of the rows when all of them change, and says nothing meanwhile. So such a fold raises an error before that.

/**
 * Elements that a fold keeps of one source: of RethinkDB 2.4.4 a change then takes milliseconds, and a hundred of them with 30,000,
 * so that 100,000 rows take hours to change.
 */
export const MOST_ELEMENTS = 3_000;

/** How the text begins. */
const OUTGROWN = 'Livefold: RethinkDB would have to copy more than';

/** What the fold raises. */
export const OUTGROWN_TEXT: string = `${OUTGROWN} ${MOST_ELEMENTS} elements with each change of this feed.  The proxy folds it without: under \`--plan auto\`, or where no term after \`changes\` and no other feed beside it has to run inside RethinkDB.`;

/** Whether an error says that a fold has too many elements. */
export function isOutgrown({ message }: Error): boolean {
  return message.startsWith(OUTGROWN);
}
