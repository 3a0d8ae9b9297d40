// Regular expressions in RE2's syntax, as `match` takes them, with the errors of the RE2 in RethinkDB 2.4.4.

import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { Meter } from '../../meter.ts';

/** A pattern ready to match. */
export interface Regexp {
  /** Steps that matching takes at most for each character of a text. */
  readonly stepsPerCharacter: number;
  /** The first match in a text: whole match first, then groups, each by UTF-16 offsets; `undefined` for none. */
  match(text: string): readonly (Span | undefined)[] | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The fault of a pattern: the server's words, and the part at fault. */
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

/** Steps that compiling takes for each part of a pattern, repetitions written out. */
const COMPILE_STEPS = 100;
/** Steps that matching takes for each part and character: every part may be at work on every character. */
const MATCH_STEPS = 0.5;
/** So many groups double the work of matching, since each part at work keeps the places of all of them. */
const GROUPS = 8;

/** So many characters of a class or of a quotation are as much as a part. */
const CLASS_LENGTH = 4;

/** Compiles a pattern. Raises what `meter` raises, which counts the work. */
export function compileRegexp(pattern: string, meter: Meter): Regexp | RegexpFault {
  const prepared = prepare(pattern);
  if (typeof prepared !== 'string') return prepared;
  const size = sizeOf(prepared);
  meter.spend(COMPILE_STEPS * size);
  try {
    return matcherOf(RE2JS.compile(prepared), size);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return faultOf(error);
  }
}

function matcherOf(re2: RE2JS, size: number): Regexp {
  const groups = re2.groupCount();
  return {
    stepsPerCharacter: MATCH_STEPS * size * (1 + groups / GROUPS),
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

/** How many parts a pattern has once its repetitions are written out. */
function sizeOf(pattern: string): number {
  // The sizes of the groups that are open, and of what stands last in each.
  const open = [{ size: 1, last: 0 }];
  for (const [step] of pattern.matchAll(STEP)) {
    const here = open.at(-1) ?? { size: 0, last: 0 };
    if (step.startsWith('(')) {
      open.push({ size: 2, last: 0 });
    } else if (step === ')' && open.length > 1) {
      open.pop();
      const around = open.at(-1) ?? here;
      around.last = here.size;
      around.size += here.size;
    } else if (/^\{\d/.test(step)) {
      const more = here.last * (Math.max(1, ...counts(step)) - 1);
      here.last += more;
      here.size += more;
    } else {
      here.last = Math.max(1, step.length / CLASS_LENGTH);
      here.size += here.last;
    }
  }
  return open.reduce((sum, { size }) => sum + size, 0);
}
