// The work that a source has in hand: what came from upstream, and what is to be done while nothing changes. It is worked on one after the
// other, each item in as many turns as it takes.

import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Turn } from '../../work/turn.ts';
import { Rest, type Steps } from '../operator/steps.ts';
import type { SourcePort } from './feed-source.ts';

/** Whose items they are. */
export interface InHandHost<Item> {
  /** The work on one item. What it throws that is no `ReqlError` is a mistake, and passes on. */
  work(item: Item, turn: Turn): Steps;
  /** The work when nothing comes any more. */
  last?(turn: Turn): Steps;
  /** Asked after each turn: why the state must not be kept. */
  excess?(): ReqlError | undefined;
  /** The turn is over before the item is done. */
  left(): void;
  /** An item is done. */
  done(item: Item): void;
  /** The state can be right no more: what else is in hand is let go of. Not once nothing comes any more. */
  failed(error: ReqlError): void;
}

/** What is in hand: an item, steps between which nothing changes, or who waits for the end of all. */
type Work<Item> =
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'hold'; readonly steps: () => Iterable<void> }
  | { readonly kind: 'last' };

/** Items in hand. */
export class InHand<Item> {
  readonly #host: InHandHost<Item>;
  /** Says that there is something to do. */
  readonly #begin: () => void;
  #works: Work<Item>[] = [];
  #rest = new Rest();
  /** Who waits for the end of all, once nothing comes any more. */
  #finished: (() => void) | undefined;

  constructor(port: SourcePort, host: InHandHost<Item>) {
    this.#host = host;
    this.#begin = port.job((turn) => this.#work(turn));
  }

  get isEmpty(): boolean {
    return this.#works.length === 0;
  }

  /** Whether nothing comes any more. */
  get isFinishing(): boolean {
    return this.#finished !== undefined;
  }

  push(item: Item): void {
    this.#push({ kind: 'item', item });
  }

  /** Takes steps between which nothing else is worked on. */
  hold(steps: () => Iterable<void>): void {
    this.#push({ kind: 'hold', steps });
  }

  /** Nothing comes any more: works on what there is, and calls back, also where that cannot be done. */
  finish(then: () => void): void {
    this.#finished = then;
    this.#push({ kind: 'last' });
  }

  /** Lets go of everything. Work that was begun is not gone on with, and nobody is called back. */
  clear(): void {
    this.#works = [];
    this.#rest = new Rest();
    this.#finished = undefined;
  }

  #push(work: Work<Item>): void {
    this.#works.push(work);
    this.#begin();
  }

  #work(turn: Turn): boolean {
    for (let first = this.#works[0]; first !== undefined; first = this.#works[0]) {
      const work = first;
      const works = this.#works;
      const isDone = this.#workOn(work, turn);
      // The source may have let go of everything while it was worked on, and taken something else in hand.
      if (works !== this.#works) continue;
      if (isDone instanceof ReqlError) {
        this.#fail(isDone);
      } else if (isDone) {
        works.shift();
        this.#done(work);
      } else {
        this.#host.left();
        return false;
      }
    }
    return true;
  }

  /** Whether it is done, or why the state can be right no more, or must not be kept. */
  #workOn(work: Work<Item>, turn: Turn): boolean | ReqlError {
    try {
      const isDone = this.#rest.go(turn, (begun) => this.#steps(work, begun));
      return this.#host.excess?.() ?? isDone;
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  }

  /** The steps are the host's own: a generator around them would be one more to go through for each. */
  #steps(work: Work<Item>, turn: Turn): Steps {
    switch (work.kind) {
      case 'item':
        return this.#host.work(work.item, turn);
      case 'hold':
        return held(work.steps);
      case 'last':
        return this.#host.last?.(turn) ?? held(() => []);
    }
  }

  #done(work: Work<Item>): void {
    switch (work.kind) {
      case 'item':
        this.#host.done(work.item);
        break;
      case 'hold':
        break;
      case 'last':
        this.#end();
        break;
    }
  }

  #fail(error: ReqlError): void {
    if (this.isFinishing) {
      this.#end();
    } else {
      this.clear();
      this.#host.failed(error);
    }
  }

  #end(): void {
    const finished = this.#finished;
    this.clear();
    finished?.();
  }
}

function* held(steps: () => Iterable<void>): Steps {
  yield* steps();
}
