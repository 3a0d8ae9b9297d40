// Terms that the embedded server has not: geometry, JavaScript, HTTP. They are checked like any other, and then refused by
// name.

import { op, type TermTable } from '../../../rewrite/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { signatureOf } from '../../../rewrite/term/signatures.ts';

const UNSUPPORTED = [
  TermType.JAVASCRIPT,
  TermType.HTTP,
  TermType.GEOJSON,
  TermType.TO_GEOJSON,
  TermType.POINT,
  TermType.LINE,
  TermType.POLYGON,
  TermType.DISTANCE,
  TermType.INTERSECTS,
  TermType.INCLUDES,
  TermType.CIRCLE,
  TermType.GET_INTERSECTING,
  TermType.FILL,
  TermType.GET_NEAREST,
  TermType.POLYGON_SUB,
];

export const unsupportedTerms: TermTable = Object.fromEntries(
  UNSUPPORTED.map((type) => [
    type,
    op((args) => {
      throw args.fail(`\`${signatureOf(type)?.driver ?? type}\` is not supported by the embedded server.`);
    }),
  ]),
);
