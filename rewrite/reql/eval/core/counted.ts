// The results of an evaluation as they leave it: errors about too many steps say which term took them, and data are no larger than
// the steps that are left, though a few steps can make a datum that is astronomically large, by putting one into another twice.

import { type Datum, type DatumObject, isObject } from '../../data/datum.ts';
import { type Meter, OutOfSteps } from '../../meter.ts';
import { signatureOf } from '../../term/signatures.ts';
import type { Term } from '../../term/term.ts';
import { find } from '../../term/walk.ts';

/** Items, and fields, that are handed on in about the time of one step. */
const ITEMS_PER_STEP = 4;
const FIELDS_PER_STEP = 2;

/** A datum that has been counted. Raises what `meter` raises. */
export function counted(root: Datum, meter: Meter): Datum {
  if (typeof root === 'object' && root !== null) countItems(root, meter);
  return root;
}

function countItems(root: readonly Datum[] | DatumObject, meter: Meter): void {
  const left = [root];
  for (let datum = left.pop(); datum !== undefined; datum = left.pop()) {
    if (isObject(datum)) {
      let fields = 1;
      for (const key in datum) {
        fields += 1;
        const value = datum[key];
        if (typeof value === 'object' && value !== null) left.push(value);
      }
      meter.spend(fields / FIELDS_PER_STEP);
    } else {
      meter.spend((1 + datum.length) / ITEMS_PER_STEP);
      for (const value of datum) if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
}

/** What is raised for anything caught while `root` was evaluated: too many steps are those of a term in it. */
export function explained(error: unknown, root: Term): unknown {
  if (!(error instanceof OutOfSteps) || error.origin === undefined) return error;
  const place = error.origin;
  const term = find(root, (inner) => inner.kind === 'call' && inner.origin === place);
  const name = term?.kind === 'call' ? signatureOf(term.type)?.driver : undefined;
  return name === undefined ? error : error.named(`Evaluating \`${name}\``);
}
