// The texts of large data, written in turns ahead of whoever puts them into an answer.

import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { isLargerThan, knownText, LARGE } from '../../../rewrite/reql/data/known-text.ts';
import { LargeText } from '../../../rewrite/reql/data/large-text.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Turn } from '../../work/turn.ts';
import { type FeedDocument, sidesIn } from './documents.ts';

type Structure = readonly Datum[] | DatumObject;

/** Writes the large data of one document after the other. */
export class LargeTexts {
  /** The datum that is being written. */
  #of: Structure | undefined;
  #text: LargeText | undefined;

  /** Writes what is large in a document; says whether all of it is known. */
  write(document: FeedDocument, turn: Turn): boolean {
    for (const side of sidesIn(document)) if (isUnknown(side) && !this.#write(side, turn)) return false;
    return true;
  }

  #write(side: Structure, turn: Turn): boolean {
    if (this.#of !== side) this.#text = new LargeText(side);
    this.#of = side;
    while (!isDone(this.#text)) if (turn.isOver()) return false;
    this.#of = undefined;
    this.#text = undefined;
    return true;
  }
}

function isUnknown(side: Datum): side is Structure {
  if (typeof side !== 'object' || side === null) return false;
  return knownText(side) === undefined && isLargerThan(side, LARGE);
}

/** What has no JSON raises its error where it is put into an answer. */
function isDone(text: LargeText | undefined): boolean {
  try {
    return text?.go() !== false;
  } catch (error) {
    if (error instanceof ReqlError) return true;
    throw error;
  }
}
