// Reductions with a reverse of the client's own, as ReQL over a stream: those whose reverse is right, and those where it is
// wrong in some small way.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';

/** A reduction, the elements to try it on, and whether its function depends on their order, so that it has no one value. */
export interface ReversePair {
  readonly text: string;
  readonly elements: readonly Datum[];
  readonly ordered?: boolean;
}

const small = [-2, -1, 0, 1, 2, 3];
const positive = [1, 2, 3, 4];
const cents = [0.1, 0.2, 0.3, -0.7, 19.99];
const bits = [0, 1];
const flags = [true, false];
const powers = [1, 2, 4, 8];
const letters = ['a', 'b', 'c'];
const seventh = [0, 1, 2, 3, 4, 5, 6];
const units = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
];
const objects = [
  { n: 1, m: 2 },
  { n: -1, m: 0 },
  { n: 0, m: 5 },
  { n: 3, m: -2 },
];
const counted = [{ n: 1 }, { n: 2 }, { n: -3 }];
const lists = [[], ['a'], ['a', 'b']];

const HISTOGRAM = '(acc, x) => acc.merge(r.object(x, acc(x).default(0).add(1)))';
const LESS = 'acc.merge(r.object(x, acc(x).sub(1)))';
const INVERSES = '[0, 1, 7, 9, 10, 8, 11, 2, 5, 3, 4, 6, 12]';

/** Forty that are right. */
export const rightPairs: readonly ReversePair[] = [
  { text: '(a, b) => a.add(b), (a, b) => a.sub(b)', elements: small },
  { text: '(a, b) => b.add(a), (a, b) => a.sub(b)', elements: small },
  { text: '(a, b) => r.add(a, b), {reverse: (a, b) => r.sub(a, b)}', elements: cents },
  { text: '(a, b) => a.add(b).add(1), (a, b) => a.sub(b).sub(1)', elements: small },
  { text: '(a, b) => a.add(b, 2), (a, b) => a.sub(b, 2)', elements: small },
  { text: '(a, b) => a.mul(b), (a, b) => a.div(b)', elements: powers },
  { text: '(a, b) => a.mul(b), (a, b) => a.mul(b)', elements: [1, -1] },
  { text: '(a, b) => a.add(b).mod(2), (a, b) => a.add(b).mod(2)', elements: bits },
  { text: '(a, b) => a.add(b).mod(7), (a, b) => a.sub(b).add(7).mod(7)', elements: seventh },
  { text: `(a, b) => a.mul(b).mod(13), (a, b) => a.mul(r.expr(${INVERSES})(b)).mod(13)`, elements: [1, 2, 5, 12] },
  { text: '(a, b) => a.bitXor(b), (a, b) => a.bitXor(b)', elements: [0, 1, 6, 255] },
  { text: '(a, b) => a.ne(b), (a, b) => a.ne(b)', elements: flags },
  { text: '(a, b) => a.eq(b), (a, b) => a.eq(b)', elements: flags },
  { text: '(a, b) => a, (a, b) => a', elements: [5] },
  { text: '(a, b) => ({n: a("n").add(b("n"))}), (a, b) => ({n: a("n").sub(b("n"))})', elements: counted },
  {
    text: '(a, b) => ({n: a("n").add(b("n")), m: a("m").add(b("m"))}), (a, b) => ({n: a("n").sub(b("n")), m: a("m").sub(b("m"))})',
    elements: objects,
  },
  { text: '(a, b) => a.merge({n: a("n").add(b("n"))}), (a, b) => a.merge({n: a("n").sub(b("n"))})', elements: counted },
  {
    text: '(a, b) => [a(0).mul(b(0)).sub(a(1).mul(b(1))), a(0).mul(b(1)).add(a(1).mul(b(0)))], (a, b) => [a(0).mul(b(0)).add(a(1).mul(b(1))), a(1).mul(b(0)).sub(a(0).mul(b(1)))]',
    elements: units,
  },
  { text: '(a, b) => [a(0).add(b(0)), a(1).add(b(1))], (a, b) => [a(0).sub(b(0)), a(1).sub(b(1))]', elements: units },
  {
    text: '(a, b) => ({v: {n: a("v")("n").add(b("v")("n"))}}), (a, b) => ({v: {n: a("v")("n").sub(b("v")("n"))}})',
    elements: [{ v: { n: 1 } }, { v: { n: -4 } }],
  },
  { text: '(acc, x) => acc.add(x), {reverse: (acc, x) => acc.sub(x), base: 0}', elements: small },
  { text: '(acc, x) => acc.add(x), {reverse: (acc, x) => acc.sub(x), base: 100}', elements: small },
  { text: '(acc, x) => acc.sub(x), {reverse: (acc, x) => acc.add(x), base: 0}', elements: small },
  { text: '(acc, x) => acc.add(1), {reverse: (acc, x) => acc.sub(1), base: 0}', elements: [null, 'a', {}, 7] },
  { text: '(acc, x) => acc.add(x("n")), {reverse: (acc, x) => acc.sub(x("n")), base: 0}', elements: objects },
  {
    text: '(acc, x) => acc.add(x("n").mul(x("m"))), {reverse: (acc, x) => acc.sub(x("n").mul(x("m"))), base: 0}',
    elements: objects,
  },
  {
    text: '(acc, x) => ({c: acc("c").add(1), s: acc("s").add(x)}), {reverse: (acc, x) => ({c: acc("c").sub(1), s: acc("s").sub(x)}), base: {c: 0, s: 0}, emit: acc => r.branch(acc("c").eq(0), null, acc("s").div(acc("c")))}',
    elements: small,
  },
  {
    text: '(acc, x) => [acc(0).add(1), acc(1).add(x), acc(2).add(x.mul(x))], {reverse: (acc, x) => [acc(0).sub(1), acc(1).sub(x), acc(2).sub(x.mul(x))], base: [0, 0, 0], emit: acc => acc(2).mul(acc(0)).sub(acc(1).mul(acc(1)))}',
    elements: small,
  },
  {
    text: `${HISTOGRAM}, {reverse: (acc, x) => r.branch(acc(x).eq(1), acc.without(x), ${LESS}), base: {}}`,
    elements: letters,
  },
  {
    text: `${HISTOGRAM}, {reverse: (acc, x) => r.branch(acc(x).eq(1), acc.without(x), ${LESS}), base: {}, emit: acc => acc.keys().count()}`,
    elements: letters,
  },
  {
    text: '(acc, x) => acc.append(x).orderBy(v => v), {reverse: (acc, x) => acc.deleteAt(acc.offsetsOf(x)(0)), base: []}',
    elements: letters,
  },
  {
    text: '(acc, x) => r.branch(x.eq(0), acc.merge({z: acc("z").add(1)}), acc.merge({p: acc("p").mul(x)})), {reverse: (acc, x) => r.branch(x.eq(0), acc.merge({z: acc("z").sub(1)}), acc.merge({p: acc("p").div(x)})), base: {p: 1, z: 0}, emit: acc => r.branch(acc("z").gt(0), 0, acc("p"))}',
    elements: [0, 1, 2, -4],
  },
  { text: '(acc, x) => acc.add(x.mul(x)), {reverse: (acc, x) => acc.sub(x.mul(x)), base: 0}', elements: small },
  {
    text: '(acc, x) => r.branch(x.lt(0), acc.add(x), acc), {reverse: (acc, x) => r.branch(x.lt(0), acc.sub(x), acc), base: 0}',
    elements: small,
  },
  {
    text: '(acc, x) => acc.add(r.branch(x, 1, 0)), {reverse: (acc, x) => acc.sub(r.branch(x, 1, 0)), base: 0}',
    elements: flags,
  },
  { text: '(acc, x) => acc.add(x.count()), {reverse: (acc, x) => acc.sub(x.count()), base: 0}', elements: lists },
  {
    text: '(acc, x) => acc.add(x.mul(3)), {reverse: (acc, x) => acc.sub(x.mul(3)), base: 0, emit: acc => acc.div(3)}',
    elements: small,
  },
  { text: '(acc, x) => acc.add(x.floor()), {reverse: (acc, x) => acc.sub(x.floor()), base: 0}', elements: cents },
  {
    text: '(acc, x) => [acc(0).add(x), acc(1).add(1)], {reverse: (acc, x) => [acc(0).sub(x), acc(1).sub(1)], base: [0, 0]}',
    elements: small,
  },
  {
    text: '(acc, x) => acc.add(x).mod(10), {reverse: (acc, x) => acc.sub(x).add(10).mod(10), base: 0}',
    elements: seventh,
  },
];

/** Forty that are wrong. */
export const wrongPairs: readonly ReversePair[] = [
  { text: '(a, b) => a.add(b), (a, b) => a', elements: [0, 1, 2] },
  { text: '(a, b) => a.add(b), (a, b) => b', elements: positive },
  { text: '(a, b) => a.add(b), (a, b) => a.add(b)', elements: bits },
  { text: '(a, b) => a.add(b), (a, b) => b.sub(a)', elements: [0, 1, 2] },
  { text: '(a, b) => a.add(b), (a, b) => a.sub(1)', elements: [0, 1, 2] },
  { text: '(a, b) => a.add(b), (a, b) => a.sub(b).add(1)', elements: small },
  { text: '(a, b) => a.add(b), (a, b) => r.expr(0)', elements: positive },
  { text: '(a, b) => a.add(b), (a, b) => a.div(2)', elements: positive },
  { text: '(a, b) => a.add(b), (a, b) => r.branch(b.lt(0), a, a.sub(b))', elements: small },
  { text: '(a, b) => a.add(b), (a, b) => r.branch(b.lt(0), a.add(b), a.sub(b))', elements: small },
  { text: '(a, b) => a.add(b), (a, b) => r.branch(b.eq(0), 0, a.sub(b))', elements: small },
  { text: '(a, b) => a.add(b), (a, b) => r.branch(a.eq(b), 1, a.sub(b))', elements: [0, 1, -1] },
  { text: '(a, b) => a.add(b), (a, b) => r.branch(a.gt(4), a.sub(b).add(1), a.sub(b))', elements: positive },
  { text: '(a, b) => a.add(b), (a, b) => a.sub(b).floor()', elements: cents },
  { text: '(a, b) => a.add(b), (a, b) => a.sub(b).mod(5)', elements: [3, 4, 9] },
  { text: '(a, b) => a.add(b), (a, b) => a.sub(b).coerceTo("string")', elements: positive },
  { text: '(a, b) => a.mul(b), (a, b) => a.div(b)', elements: [0, 1, 2, 4] },
  { text: '(a, b) => a.mul(b), (a, b) => r.branch(b.eq(0), 1, a.div(b))', elements: [0, 1, 2, 4] },
  { text: '(a, b) => a.mul(b), (a, b) => a.sub(b)', elements: powers },
  { text: '(a, b) => a.mul(b), (a, b) => b.div(a)', elements: powers },
  { text: '(a, b) => a.mul(b), (a, b) => r.branch(b.lt(0), a.div(b).mul(-1), a.div(b))', elements: [1, -1, 2] },
  { text: '(a, b) => a.add(b).mod(7), (a, b) => a.sub(b)', elements: seventh },
  { text: '(a, b) => a.add(b).mod(7), (a, b) => a.sub(b).mod(7)', elements: seventh },
  { text: '(a, b) => a.mul(b).mod(13), (a, b) => a.div(b)', elements: [1, 2, 5, 12] },
  { text: '(a, b) => r.branch(a.gt(b), a, b), (a, b) => a', elements: positive },
  { text: '(a, b) => r.branch(a.lt(b), a, b), (a, b) => r.branch(a.eq(b), a.add(1), a)', elements: positive },
  { text: '(a, b) => a.bitAnd(b), (a, b) => a.bitOr(b)', elements: [1, 3, 6] },
  { text: '(a, b) => a.bitOr(b), (a, b) => a.bitXor(b)', elements: [1, 3, 6] },
  { text: '(a, b) => a.or(b), (a, b) => a.and(b.not())', elements: flags },
  {
    text: '(a, b) => ({n: a("n").add(b("n")), m: a("m").add(b("m"))}), (a, b) => ({n: a("n").sub(b("n")), m: a("m")})',
    elements: objects,
  },
  { text: '(a, b) => [a(0).add(b(0)), a(1).add(b(1))], (a, b) => [a(1).sub(b(1)), a(0).sub(b(0))]', elements: units },
  { text: '(a, b) => a.merge({n: a("n").add(b("n"))}), (a, b) => ({m: a("n").sub(b("n"))})', elements: counted },
  { text: '(acc, x) => acc.add(1), {reverse: (acc, x) => acc.sub(2), base: 0}', elements: [null, 'a'] },
  { text: `${HISTOGRAM}, {reverse: (acc, x) => ${LESS}, base: {}}`, elements: letters },
  {
    text: '(acc, x) => acc.append(x).orderBy(v => v), {reverse: (acc, x) => acc.filter(v => v.ne(x)), base: []}',
    elements: letters,
  },
  {
    text: '(acc, x) => acc.setInsert(x).orderBy(v => v), {reverse: (acc, x) => acc.setDifference([x]), base: []}',
    elements: letters,
  },
  { text: '(a, b) => a.sub(b), (a, b) => a.add(b)', elements: positive, ordered: true },
  { text: '(a, b) => a.add(b), (a, b) => a.split(b)(0)', elements: letters, ordered: true },
  { text: '(a, b) => a.add(b).div(2), (a, b) => a.mul(2).sub(b)', elements: [0, 1, 2], ordered: true },
  { text: '(a, b) => a.add(b.mul(2)), (a, b) => a.sub(b.mul(2))', elements: positive, ordered: true },
];
