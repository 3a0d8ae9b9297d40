// Regular expressions in RE2's syntax, as `match` takes them, with the errors of the RE2 in RethinkDB 2.4.4.

import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A pattern ready to match. */
export interface Regexp {
  /** The first match in a text: whole match first, then groups, each by UTF-16 offsets; `undefined` for none. */
  match(text: string): readonly (Span | undefined)[] | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is wrong with a pattern: the server's words, and the part at fault. */
export interface RegexpFault {
  readonly message: string;
  readonly portion: string;
}

const TEXTS: ReadonlyMap<string, string> = new Map([
  ['missing closing )', 'missing )'],
  ['missing closing ]', 'missing ]'],
  ['missing argument to repetition operator', 'no argument for repetition operator'],
  ['invalid nested repetition operator', 'bad repetition operator'],
  ['invalid named capture', 'invalid named capture group'],
  ['trailing backslash at end of expression', 'trailing \\'],
  ['invalid repeat count', 'invalid repetition size'],
  ['invalid or unsupported Perl syntax', 'invalid perl operator'],
]);

/** Compiles a pattern. */
export function compileRegexp(pattern: string): Regexp | RegexpFault {
  const prepared = prepare(pattern);
  if (typeof prepared !== 'string') return prepared;
  try {
    return matcherOf(RE2JS.compile(prepared));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return faultOf(error);
  }
}

function matcherOf(re2: RE2JS): Regexp {
  const groups = re2.groupCount();
  return {
    match: (text) => {
      const matcher = re2.matcher(text);
      if (!matcher.find()) return undefined;
      return Array.from({ length: groups + 1 }, (_, group) => {
        const start = matcher.start(group);
        return start < 0 ? undefined : { start, end: matcher.end(group) };
      });
    },
  };
}

function faultOf(error: RE2JSSyntaxException): RegexpFault {
  const text = error.getDescription();
  const portion = error.getPattern() ?? '';
  const known = TEXTS.get(text) ?? text;
  return { message: portion === '' ? known : `${known}: ${portion}`, portion };
}

// One step over a pattern: an escape, a class, a quotation, the start of a group, a repetition, or any character.
const STEP = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w*:\]|[^\]\\])*\]?|\(\?P<\w+>|\(\?<|\{\d+(?:,\d*)?\}|./gsu;

/** RE2 takes repetition counts from here on for plain text. */
const HUGE_COUNT = 100_000_000;

// The server's RE2 lets names of groups repeat and start with digits, and does not know `(?<name>`. Names never show.
function prepare(pattern: string): string | RegexpFault {
  let prepared = '';
  for (const [step] of pattern.matchAll(STEP)) {
    if (step === '(?<') return { message: 'invalid perl operator: (?<', portion: '(?<' };
    if (step.startsWith('(?P<')) prepared += '(';
    else if (step.startsWith('{') && counts(step).some((count) => count >= HUGE_COUNT)) prepared += `\\${step}`;
    else prepared += step;
  }
  return prepared;
}

function counts(repetition: string): readonly number[] {
  return repetition.match(/\d+/g)?.map(Number) ?? [];
}
