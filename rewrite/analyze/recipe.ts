// What a client may write beyond RethinkDB's own language: the parts of the recipe (rethinkdb/rethinkdb#1118) for its own
// reductions.
//
//   reduce(f, g)   reduce(f, {reverse: g, base: b, emit: h})      a second positional argument, as drivers send it
//   reduce(f).changes({reverse: g, ...})                           for drivers that check arguments
//   fold(base, f).changes({reverse: g, ...})
//
// All become optargs of REDUCE. Two more optargs say what is to be watched of the stream itself, and stay where they are:
//
//   stream.changes({reducer: f})       group(key).changes({reducer: f})
//   stream.changes({aggregate: name})  group(key).changes({aggregate: name})
//
// Others say how the feed is made: whether it may be carried along with equal ones, whether it tells that it is being healed,
// after how long a silence it gives a sign of life, and how its documents are written. They stay there as well.
//
//   changes({shared: false})   changes({includeHealing: true})   changes({heartbeat: seconds})   changes({format: 'merge'})
//   changes({includeRevs: true})   changes({since: rev})
//
// `plain` is the query without any of them, which has to compile in the server's eyes.

import { onTop } from '../plan/projection.ts';
import { refusal } from '../refusal.ts';
import { logicError } from '../reql/error.ts';
import { callWith } from '../reql/term/call-with.ts';
import type { CallTerm, Entry, StartQuery, Term } from '../reql/term/term.ts';
import { containsTerm, mapTerm } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { type FoundChanges, replaceChanges } from './find-changes.ts';

/** The optargs of CHANGES, and of REDUCE, that RethinkDB does not know. */
const parts: ReadonlySet<string> = new Set(['reverse', 'base', 'emit']);

/** The optargs of CHANGES that say what is watched of the stream below it. */
const watching: ReadonlySet<string> = new Set(['reducer', 'aggregate']);

/** The optargs of CHANGES that RethinkDB does not know, and that say how the feed is made. */
const making: ReadonlySet<string> = new Set([
  'shared',
  'include_healing',
  'heartbeat',
  'format',
  'include_revs',
  'since',
]);

/** A query in both shapes. */
export interface Extended {
  /**
   * CHANGES with the parts of the recipe as optargs of REDUCE; All other optargs of ours are optargs of CHANGES still. The terms
   * after it are those of the query.
   */
  readonly changes: CallTerm;
  /** The query without them; the same object where there are none. */
  readonly plain: StartQuery;
}

/**
 * Puts the parts of the recipe where the rest of the rewriting looks for them.
 * @param found what `findChanges` found in the query
 * @throws ReqlError where there is nothing that a part could belong to.
 */
export function extend(query: StartQuery, { changes, after }: FoundChanges): Extended {
  const given = changes.optargs.filter(([name]) => parts.has(name));
  const stripped = withOptargs(
    changes,
    changes.optargs.filter(([name]) => !parts.has(name)),
  );
  const [watched, ...more] = stripped.args;
  if (watched === undefined || more.length > 0) return { changes, plain: query };
  const moved = given.length === 0 ? watched : moveToReduce(watched, given);
  const bare = withOptargs(
    stripped,
    stripped.optargs.filter(([name]) => !watching.has(name) && !making.has(name)),
  );
  const term = replaceChanges(after, onTop(bare, withoutParts(watched)));
  const plain = term === query.term ? query : { term, globalOptargs: query.globalOptargs };
  return { changes: onTop(stripped, moved), plain };
}

/** The first optarg of a CHANGES term that RethinkDB does not know; `undefined` where there is none. */
export function partOf(changes: CallTerm): Entry | undefined {
  return changes.optargs.find(([name]) => parts.has(name) || watching.has(name) || making.has(name));
}

/** The optarg of CHANGES, over what RethinkDB watches by itself, that wants a history of it; `undefined` where there is none. */
export function historyPart({ optargs }: CallTerm): Entry | undefined {
  const isElse = ([name]: Entry): boolean => parts.has(name) || watching.has(name);
  return optargs.some(isElse) ? undefined : optargs.find(([name]) => name === 'since' || name === 'include_revs');
}

/** Whether CHANGES asks for merges of the very rows below it. */
export function wantsMergesOfRows({ optargs }: CallTerm): boolean {
  const isElse = ([name]: Entry): boolean => parts.has(name) || watching.has(name);
  return optargs.some(([name]) => name === 'format') && !optargs.some(isElse);
}

/** The term with the parts on the first `reduce` or `fold` below it. */
function moveToReduce(root: Term, given: readonly Entry[]): Term {
  const above: CallTerm[] = [];
  for (let term: Term | undefined = root; term?.kind === 'call'; term = term.args[0]) {
    const reduce = asReduce(term);
    if (reduce === undefined) {
      above.push(term);
      continue;
    }
    // A fold is a reduction as far as it can be undone; without that its order matters.
    if (term.type === TermType.FOLD && !given.some(([name]) => name === 'reverse')) throw refusal(term);
    const target = withOptargs(reduce, [...reduce.optargs, ...given]);
    return above.reverse().reduce<Term>((below, over) => onTop(over, below), target);
  }
  const [name, value] = given[0] ?? ['reverse', root];
  throw logicError(
    `\`${name}\` belongs to a \`reduce\` or a \`fold\`, and there is none before \`changes\`.`,
    value.origin,
  );
}

/** A fold is a reduction with a base. */
function asReduce(term: CallTerm): CallTerm | undefined {
  if (term.type === TermType.REDUCE) return term;
  const [stream, base, func] = term.args;
  const isPlain = term.type === TermType.FOLD && term.args.length === 3 && term.optargs.length === 0;
  if (!isPlain || stream === undefined || base === undefined || func === undefined) return undefined;
  return callWith(term, { type: TermType.REDUCE, args: [stream, func], optargs: [['base', base]] });
}

function withoutParts(root: Term): Term {
  if (!containsTerm(root, TermType.REDUCE)) return root;
  return mapTerm(root, (term) => {
    if (term.kind !== 'call' || term.type !== TermType.REDUCE) return term;
    const own = withOptargs(
      term,
      term.optargs.filter(([name]) => !parts.has(name)),
    );
    if (own.args.length !== 3) return own;
    return callWith(own, { args: own.args.slice(0, 2) });
  });
}

function withOptargs(term: CallTerm, optargs: readonly Entry[]): CallTerm {
  if (optargs.length === term.optargs.length) return term;
  return callWith(term, { optargs });
}
