// MATCH, SPLIT, UPCASE and DOWNCASE.

import { asString } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { utf8Length } from '../../data/utf8.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermTable } from '../core/context.ts';
import { op, preparedOp } from '../core/op.ts';
import type { Value } from '../core/value.ts';
import { limited } from '../streams/materialize.ts';
import { isCombining } from './combining.ts';
import { compileRegexp, type Regexp, type RegexpFault, type Span } from './regexp.ts';

const match = preparedOp(() => {
  // Mostly the pattern is the same each time.
  let last: { readonly pattern: string; readonly regexp: Regexp | RegexpFault } | undefined;
  return (args) => {
    const text = args.string(0);
    const pattern = args.string(1);
    if (last?.pattern !== pattern) last = { pattern, regexp: compileRegexp(pattern, args.context.meter) };
    const { regexp } = last;
    if ('message' in regexp) {
      throw args.fail(`Error in regexp \`${pattern}\` (portion \`${regexp.portion}\`): ${regexp.message}`);
    }
    args.context.meter.spend(regexp.stepsPerCharacter * text.length);
    const [whole, ...groups] = regexp.match(text) ?? [];
    if (whole === undefined) return null;
    const shown = limited(
      groups.map((group) => (group === undefined ? null : spanDatum(text, group))),
      args.context,
    );
    return { ...spanDatum(text, whole), groups: shown };
  };
});

/** Characters that are looked at in about the time of one step. */
const CHARACTERS_PER_STEP = 8;

// Places are counted in bytes.
function spanDatum(text: string, { start, end }: Span): { readonly [key: string]: Datum } {
  return { end: utf8Length(text, end), start: utf8Length(text, start), str: text.slice(start, end) };
}

/** Unicode's White_Space, as the server has it. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function split(args: Args): Value {
  const text = args.string(0);
  const delimiter = args.count > 1 ? delimiterOf(args.datum(1)) : undefined;
  const { arrayLimit, meter } = args.context;
  const most = args.count > 2 ? args.integer(2) : -1;
  if (most < -1 || most > arrayLimit - 1) {
    throw args.fail(`Error: \`split\` size argument must be in range [-1, ${arrayLimit - 1}].`);
  }
  meter.spend(text.length / (delimiter === '' ? 1 : CHARACTERS_PER_STEP));
  const parts = splitText(text, delimiter, most < 0 ? arrayLimit : most);
  meter.spend(parts.length);
  return limited(parts, args.context);
}

function delimiterOf(datum: Datum): string | undefined {
  return datum === null ? undefined : asString(datum);
}

/** At most `most` parts, and what is left as one more. */
function splitText(text: string, delimiter: string | undefined, most: number): readonly string[] {
  if (delimiter === undefined) return splitAtSpace(text, most);
  return delimiter === '' ? splitCharacters(text, most) : splitAt(text, delimiter, most);
}

function splitAt(text: string, delimiter: string, most: number): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(delimiter); at >= 0 && parts.length < most; at = text.indexOf(delimiter, from)) {
    parts.push(text.slice(from, at));
    from = at + delimiter.length;
  }
  return [...parts, text.slice(from)];
}

function splitAtSpace(text: string, most: number): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && SPACE.test(text.charAt(at))) at += 1;
    if (at === text.length) return parts;
    if (parts.length === most) return [...parts, text.slice(at)];
    const start = at;
    while (at < text.length && !SPACE.test(text.charAt(at))) at += 1;
    parts.push(text.slice(start, at));
  }
}

/** Characters, each with the combining ones after it. */
function splitCharacters(text: string, most: number): readonly string[] {
  const parts: string[] = [];
  let taken = 0;
  for (const char of text) {
    const last = parts.length - 1;
    if (last >= 0 && isCombining(char.codePointAt(0) ?? 0)) parts[last] += char;
    else if (parts.length === most) return [...parts, text.slice(taken)];
    else parts.push(char);
    taken += char.length;
  }
  return parts;
}

// Only ASCII letters have a case here.
function mapLetters(letters: RegExp, change: (letters: string) => string): (args: Args) => Value {
  return (args) => {
    const text = args.string(0);
    args.context.meter.spend(text.length / CHARACTERS_PER_STEP);
    return text.replace(letters, change);
  };
}

/** The terms of this family. */
export const stringTerms: TermTable = {
  [TermType.MATCH]: match,
  [TermType.SPLIT]: op(split),
  [TermType.UPCASE]: op(mapLetters(/[a-z]+/g, (letters) => letters.toUpperCase())),
  [TermType.DOWNCASE]: op(mapLetters(/[A-Z]+/g, (letters) => letters.toLowerCase())),
};
