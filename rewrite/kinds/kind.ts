// The duties of a kind of live value, and the names of its parts. The kinds are in `index.ts`, one file each; a kind
// without an entry does not compile. Kinds do not import one another: what is below them is read through what they are given.

import type { Elements, Live } from '../live.ts';
import type { Reading } from '../plan/server/reading.ts';
import type { Builder } from '../reql/build/build.ts';
import type { Term } from '../reql/term/term.ts';
import type { Subject } from '../subject.ts';

export type Watched = Live['watched'];

/** The names of kinds. */
export type KindName = Watched['kind'];

/** The watched value or rows, by the name of their kind. */
export type WatchedOf<Name extends KindName> = Extract<Watched, { readonly kind: Name }>;

/** What something watched is made of. */
export interface Made {
  /** Values, groups and rows that are read as they are. */
  readonly of: readonly Watched[];
  /** What it takes elements of. */
  readonly elements?: Elements;
}

/** The growth of the state with what is read, in words: all that it grows with. */
export type Growths = readonly string[];

/** A kind of live value or rows. */
export interface Kind<Of extends Watched> {
  /** What each of its documents is about. */
  readonly subject: Subject;
  made(watched: Of): Made;
  /** A few words on what is folded; `say` gives those on what is below, elements where they are made of rows. */
  describe(watched: Of, say: Say): string;
  /** How its state grows in the proxy, without what its elements are made of; `growthsOf` gives that of what is below. */
  growths(watched: Of, growthsOf: (below: Watched) => Growths): Growths;
}

/** Says in words what is below. */
export interface Say {
  watched(below: Watched): string;
  /** ` over ...` where elements are made of rows; those of sources go without saying. */
  over(elements: Elements): string;
}

/** A kind that a fold inside RethinkDB can show. */
export interface FoldableKind<Of extends Watched> extends Kind<Of> {
  readonly subject: Exclude<Subject, 'output'>;
  /**
   * What is watched, computed from whole bags of elements, as ReQL. A value raises the error of the one-shot query where there
   * is none; rows and groups are an array or a stream.
   */
  term(reading: Reading, watched: Of): Term;
  /** The array of documents of what is there at first; `type` is the type of each where types are wanted. */
  initial(t: Builder, now: Term, type: string | undefined, watched: Of): Term;
  /** The array of documents between two moments, which differ. */
  between(t: Builder, old: Term, now: Term, types: boolean, watched: Of): Term;
}
