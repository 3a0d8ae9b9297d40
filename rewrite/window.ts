// A part of a list by places, as `limit`, `skip`, `slice` and `nth` take it, one on top of another.

import type { Builder } from './reql/build/build.ts';
import type { Term } from './reql/term/term.ts';

/** From one place up to another, which is left out. Places below 0 count from the end; `END` is behind the last item. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Ranges of a list, each of what the one before has left of it, innermost first. */
export type Window = readonly Range[];

/** The end of a list, however long it is. */
export const END: number = Number.POSITIVE_INFINITY;

/** The places from `start` up to `end`, counted from the start of a list: `start` is never behind `end`. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/**
 * Which places of a list of so many items a window takes. A list that has one item more moves each bound by one place at most,
 * and never back.
 */
export function boundsOf(window: Window, size: number): Bounds {
  let [start, end] = [0, size];
  for (const { from, to } of window) {
    const length = end - start;
    const begin = placeOf(from, length);
    end = start + Math.max(begin, placeOf(to, length));
    start += begin;
  }
  return { start, end };
}

/** On how many of the first items of a list a window depends; `undefined` where that is all of them. */
export function firstsOf(window: Window): number | undefined {
  let [start, end] = [0, END];
  for (const { from, to } of window) {
    const length = end - start;
    const begin = placeOf(from, length);
    if (begin === END) return undefined;
    end = start + Math.max(begin, placeOf(to, length));
    start += begin;
  }
  return end === END ? undefined : end;
}

function placeOf(bound: number, length: number): number {
  return bound < 0 ? Math.max(0, length + bound) : Math.min(bound, length);
}

/** The part of an array that a window takes, as ReQL. */
export function windowTerm(t: Builder, list: Term, window: Window): Term {
  return window.reduce<Term>((part, { from, to }) => {
    if (from === END) return t.limit(part, 0);
    return to === END ? t.slice(part, from) : t.slice(part, from, to);
  }, list);
}

/** A window in a few words. */
export function describeWindow(window: Window): string {
  const [range, ...more] = joined(window);
  if (range === undefined) return 'all rows';
  if (more.length > 0) return 'a part';
  const { from, to } = range;
  if (from === 0 && to >= 0) return `the first ${to}`;
  if (from >= 0 && to === END) return `all but the first ${from}`;
  if (from < 0 && to === END) return `the last ${-from}`;
  return from >= 0 && to >= 0 ? `the rows ${from} to ${to - 1}` : 'a part';
}

/** A window in as few ranges as can be: those that count from the start alone are one. */
function joined(window: Window): Window {
  const all: Range[] = [];
  for (const range of window) {
    const below = all.at(-1);
    const counts = below !== undefined && below.from >= 0 && below.to >= 0 && range.from >= 0 && range.to >= 0;
    if (counts) all[all.length - 1] = within(below, range);
    else all.push(range);
  }
  return all.filter(({ from, to }) => from !== 0 || to !== END);
}

function within(below: Range, { from, to }: Range): Range {
  const length = below.to - below.from;
  const begin = Math.min(from, length);
  return { from: below.from + begin, to: below.from + Math.max(begin, Math.min(to, length)) };
}
