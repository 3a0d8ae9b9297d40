// The terms of geometry, which the embedded server has not. Their arguments are checked as far as that needs no geometry,
// so that what is wrong anyhow is told in the server's words; then they are refused by name.

import { asArray, asObject, isPseudo } from '../../../rewrite/reql/data/data-type.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { printTruncated } from '../../../rewrite/reql/data/json-text.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { type Args, op, type TermCompiler, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { overObjects } from '../../../rewrite/reql/eval/terms/over-objects.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { tableArg } from './table.ts';
import { unsupported } from './unsupported.ts';

function checkGeometry(args: Args, index: number): void {
  const datum = args.datum(index);
  if (isPseudo(datum, 'GEOMETRY')) return;
  throw logicError(`Not a GEOMETRY pseudotype: \`${printTruncated(datum)}\`.`, args.maker(index));
}

/** A point, or an array of two numbers. Errors point to the term. */
function checkPoint(datum: Datum): void {
  if (isPseudo(datum, 'GEOMETRY')) return;
  const pair = asArray(datum);
  if (pair.length === 2) return;
  throw logicError(`Expected point coordinate pair.  Got ${pair.length} element array instead of a 2 element one.`);
}

/** A term that is refused by name once its arguments have been checked. */
const refused = (name: string, check: (args: Args) => void): TermCompiler =>
  op((args) => {
    check(args);
    throw unsupported(args, name);
  });

const onGeometries = (name: string): TermCompiler =>
  refused(name, (args) => {
    checkGeometry(args, 0);
    if (args.count > 1) checkGeometry(args, 1);
  });

/** INTERSECTS and INCLUDES: on a geometry, or on each of a sequence. */
const overGeometries = (name: string): TermCompiler =>
  op(
    (args) => {
      const onObject = (object: DatumObject, inner: Args): Datum => {
        if (isPseudo(object, 'GEOMETRY')) throw unsupported(args, name);
        throw logicError(`Not a GEOMETRY pseudotype: \`${printTruncated(object)}\`.`, inner.maker(0));
      };
      return overObjects({ name, sequence: 'filter', onObject }, args, args.value(0));
    },
    { grouping: 'sequence' },
  );

const onTable = (name: string): TermCompiler =>
  refused(name, (args) => {
    tableArg(args, 0);
  });

const ofPoints = (name: string): TermCompiler =>
  refused(name, (args) => {
    for (let at = 0; at < args.count; at++) checkPoint(args.datum(at));
  });

export const geometryTerms: TermTable = {
  [TermType.GEOJSON]: refused('r.geojson', (args) => asObject(args.datum(0))),
  [TermType.TO_GEOJSON]: onGeometries('toGeojson'),
  [TermType.POINT]: refused('r.point', (args) => {
    args.number(0);
    args.number(1);
  }),
  [TermType.LINE]: ofPoints('r.line'),
  [TermType.POLYGON]: ofPoints('r.polygon'),
  [TermType.CIRCLE]: refused('r.circle', (args) => checkPoint(args.datum(0))),
  [TermType.DISTANCE]: onGeometries('distance'),
  [TermType.INTERSECTS]: overGeometries('intersects'),
  [TermType.INCLUDES]: overGeometries('includes'),
  [TermType.GET_INTERSECTING]: onTable('getIntersecting'),
  [TermType.GET_NEAREST]: onTable('getNearest'),
  [TermType.FILL]: onGeometries('fill'),
  [TermType.POLYGON_SUB]: onGeometries('polygonSub'),
};
