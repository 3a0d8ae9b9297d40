// JSON and TO_JSON_STRING.

import { jsonText } from '../../data/json-text.ts';
import { sanitizeObject } from '../../data/pseudo.ts';
import { utf8Length, utf8Prefix } from '../../data/utf8.ts';
import { readJson } from '../../term/json.ts';
import { toDatum } from '../../term/json-datum.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import type { Value } from '../core/value.ts';
import { limited } from '../streams/materialize.ts';

/** Characters of JSON that are read in about the time of one step. */
const CHARACTERS_PER_STEP = 0.5;

/** Texts longer than this, in bytes, are cut in error texts. */
const SHOWN = 40;

function json(args: Args): Value {
  const text = args.string(0);
  args.context.meter.spend(text.length / CHARACTERS_PER_STEP);
  if (text.includes('\0')) throw args.fail('Encountered unescaped null byte in JSON string.');
  const read = readJson(text);
  if ('fault' in read) {
    const shown = utf8Length(text) > SHOWN ? `${utf8Prefix(text, SHOWN - 3)}...` : text;
    throw args.fail(`Failed to parse "${shown}" as JSON: ${read.fault}`);
  }
  return toDatum(read.json, {
    array: (array) => limited(array, args.context),
    object: (object) => sanitizeObject(object, true),
  });
}

/** The terms of this family. */
export const jsonTerms: TermTable = {
  [TermType.JSON]: op(json),
  [TermType.TO_JSON_STRING]: op((args) => jsonText(args.datum(0), args.context.meter)),
};
