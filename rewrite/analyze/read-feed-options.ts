// The optargs of CHANGES, read as the server reads them (seq.cc, changes_term_t): in its order, with its texts.

import { refusal } from '../refusal.ts';
import { asNumber, isTrue, typeName } from '../reql/data/data-type.ts';
import type { Datum } from '../reql/data/datum.ts';
import { printTruncated } from '../reql/data/json-text.ts';
import { asInteger } from '../reql/data/number.ts';
import { logicError, ReqlError } from '../reql/error.ts';
import { bind } from '../reql/eval/core/bind.ts';
import { checkLimit } from '../reql/eval/core/context.ts';
import { asOption } from '../reql/eval/core/outside-context.ts';
import { evaluateClosed } from '../reql/eval/core/pure-function.ts';
import { toDatum } from '../reql/eval/core/value.ts';
import type { EvalContext } from '../reql/eval/index.ts';
import { type Origin, ROOT } from '../reql/origin.ts';
import { ResponseType } from '../reql/protocol.ts';
import { isDeterministic, STEADY } from '../reql/term/deterministic.ts';
import type { CallTerm } from '../reql/term/term.ts';
import { isConstant } from './constant.ts';
import type { DocumentFormat, FeedOptions } from './feed-options.ts';
import { optargOf } from './rules/argument.ts';

/** The value of an optarg, its own or a global one, and where errors about it point. */
interface Given {
  readonly value: Datum;
  readonly origin: Origin | undefined;
}

/** What a CHANGES term asks for. Raises what the server would; optargs that it does not know have been refused before. */
export function readFeedOptions(changes: CallTerm, context: EvalContext): FeedOptions {
  return readOptions(changes, context, (isWanted) => {
    if (isWanted) throw logicError('Cannot include offsets for range subs.', changes.origin);
  });
}

/** The options of a feed of RethinkDB's own whose documents the proxy writes. */
export interface OwnFeedOptions extends FeedOptions {
  /** Whether documents of the first rows of an order tell their places (`include_offsets`). */
  readonly includeOffsets: boolean;
}

/** What CHANGES asks for over what RethinkDB watches by itself. */
export function readOwnFeedOptions(changes: CallTerm, context: EvalContext): OwnFeedOptions {
  let includeOffsets = false;
  const options = readOptions(changes, context, (isWanted) => {
    includeOffsets = isWanted;
  });
  if (!options.includeHealing) return { ...options, includeOffsets };
  throw refusal(
    changes,
    'RethinkDB’s own feeds are not healed, so that there is nothing to include. Leave `include_healing` out',
  );
}

function readOptions(changes: CallTerm, context: EvalContext, offsets: (areWanted: boolean) => void): FeedOptions {
  const given = (name: string): Given | undefined => readOptarg(changes, name, context);
  const flag = (name: string): boolean => {
    const found = given(name);
    return found !== undefined && isTrue(found.value);
  };
  const squash = readSquash(given('squash'));
  const includeStates = flag('include_states');
  const includeTypes = flag('include_types');
  const includeInitial = flag('include_initial');
  offsets(flag('include_offsets'));
  const queueSize = readQueueSize(given('changefeed_queue_size'), changes);
  const shared = isTrue(given('shared')?.value ?? true);
  const includeHealing = flag('include_healing');
  const heartbeat = readHeartbeat(given('heartbeat'));
  const own = (name: string): Given | undefined => readOptarg(changes, name, context, false);
  const format = readFormat(own('format'));
  const includeRevs = isTrue(own('include_revs')?.value ?? false);
  const since = readSince(own('since'));
  return {
    includeInitial,
    includeStates,
    includeTypes,
    squash,
    queueSize,
    shared,
    includeHealing,
    heartbeat,
    format,
    includeRevs,
    since,
  };
}

/** The options of a feed that is made by a fold inside RethinkDB alone. Raises besides what only the proxy could do. */
export function readFoldOptions(changes: CallTerm, context: EvalContext): FeedOptions {
  const options = readFeedOptions(changes, context);
  if (options.includeRevs || options.since !== undefined) {
    throw refusal(
      changes,
      'the proxy keeps the history of feeds that it serves itself, and this one is a fold inside RethinkDB. Leave `include_revs` and `since` out',
    );
  }
  if (options.heartbeat !== undefined || options.includeHealing) {
    throw refusal(
      changes,
      'the proxy tells that it is alive and that it heals of feeds that it serves itself, and this one is a fold inside RethinkDB. Leave `heartbeat` and `include_healing` out',
    );
  }
  if (options.format === 'changes') return options;
  throw proxysMerges(changes);
}

/** Why merges are not had without the proxy. */
export function proxysMerges(changes: CallTerm): ReqlError {
  return refusal(
    changes,
    'merges are written by the proxy, from the documents of a feed that it serves itself. Leave `format` out',
  );
}

/** `orGlobal`: whether a run option stands for it where CHANGES has none. */
function readOptarg(changes: CallTerm, name: string, context: EvalContext, orGlobal = true): Given | undefined {
  const own = optargOf(changes, name);
  if (own === undefined && !(orGlobal && context.hasGlobalOptarg(name))) return undefined;
  const origin = own === undefined ? ROOT : own.origin;
  try {
    const value = asOption(`The option \`${name}\` takes`, context.meter, origin, () => {
      const given = own === undefined ? context.globalOptarg(name) : evaluateClosed(own, context);
      return given === undefined ? undefined : toDatum(given, ROOT);
    });
    return value === undefined ? undefined : { value, origin };
  } catch (error) {
    // The evaluator does not know the terms that need a server, nor chance.
    const unknown =
      (error instanceof ReqlError && error.responseType === ResponseType.COMPILE_ERROR) ||
      (own !== undefined && (!isConstant(own) || !isDeterministic(own, STEADY)));
    throw unknown ? refusal(changes, `its optarg \`${name}\` is not a constant. Write it out`) : error;
  }
}

function readSquash(given: Given | undefined): boolean | number {
  if (given === undefined) return false;
  const { value, origin } = given;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number') {
    throw logicError(`Expected BOOL or NUMBER but found ${typeName(value)}.`, origin);
  }
  if (value >= 0) return value;
  throw logicError('Expected BOOL or a positive NUMBER but found a negative NUMBER.', origin);
}

/** Each sign of life is a question to RethinkDB and a document: a feed that asks for more would be a load to all others. */
const LEAST_HEARTBEAT = 0.01;

function readHeartbeat(given: Given | undefined): number | undefined {
  if (given === undefined) return undefined;
  const seconds = bind(given.origin, () => asNumber(given.value));
  if (seconds >= LEAST_HEARTBEAT) return seconds;
  throw logicError(
    `The option \`heartbeat\` is a number of seconds, ${LEAST_HEARTBEAT} or more, since RethinkDB is asked each time; found ${printTruncated(given.value)}.`,
    given.origin,
  );
}

function readFormat(given: Given | undefined): DocumentFormat {
  if (given === undefined) return 'changes';
  const { value, origin } = given;
  if (value === 'merge') return value;
  throw logicError(
    `The option \`format\` is "merge", or left out for documents of old_val and new_val; found ${printTruncated(value)}.`,
    origin,
  );
}

function readSince(given: Given | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given.value === 'string') return given.value;
  throw logicError(
    `Expected type STRING but found ${typeName(given.value)}. The option \`since\` is the \`rev\` of a document.`,
    given.origin,
  );
}

function readQueueSize(given: Given | undefined, changes: CallTerm): number | undefined {
  if (given === undefined) return undefined;
  const { value, origin } = given;
  // An error about no integer points to the optarg, one about too small a number to the term.
  const size = bind(origin, () => asInteger(asNumber(value)));
  return bind(origin === ROOT ? ROOT : changes.origin, () => checkLimit('changefeed queue size', size));
}
