import { expect, test } from 'vitest';
import { Spine } from '../../../proxy/wire/spine.ts';
import { cutAt } from '../../support/checks/bytes.ts';

/** The types on the spine of a query that comes in these pieces. */
function typesOf(pieces: readonly Buffer[]): readonly number[] {
  const types: number[] = [];
  const spine = new Spine((type) => {
    types.push(type);
    return true;
  });
  for (const piece of pieces) spine.push(piece, 0, piece.length);
  return types;
}

test.each([
  ['[1,[15,["t"]]]', [15]],
  ['[1,[71,[[152,[[43,[[15,["t"]]]],{"squash":true}]],5]]]', [71, 152, 43, 15]],
  ['[1,[15,[[14,["d"]],"t"]]]', [15, 14]],
  [' [ 1\t,\r\n[ 152 , [ [43,[[15,["t"]]]] ] ] ]', [152, 43, 15]],
  // The function of a `do`: its body, past the parameters, whatever is in them.
  ['[1,[64,[[69,[[2,[1,2]],[152,[[43,[[10,[1]]]]]]]],1]]]', [64, 69, 152, 43, 10]],
  ['[1,[64,[[69,[{"a":"]\\",[152,[]]"},[152,[]]]],1]]]', [64, 69, 152]],
  ['[1,[64,[[69,[[2,[1]]]],1]]]', [64, 69]],
  ['[1,[13]]', [13]],
  ['[1,[56,[[15,["t"]],[2,[[152,[[43,[[15,["u"]]]]]]]]]]]', [56, 15]],
  ['[1,[1,[152]]]', [1]],
  ['[1,[93,{"a":[152,[]]}]]', [93]],
  ['[1,{"a":[152,[]]}]', []],
  ['[1,"[152,[]]"]', []],
  ['[1,[152.0,[[43,[]]]]]', []],
  ['[1,[15 2,[]]]', []],
  ['[1,[,[]]]', []],
  ['[1,[-152,[]]]', []],
  ['[1,[9999999999,[]]]', []],
  ['{"a":[152]}', []],
  ['', []],
])('the spine of %s', (text, types) => {
  const bytes = Buffer.from(text);
  expect(typesOf([bytes])).toEqual(types);
  for (let cut = 0; cut <= bytes.length; cut++) expect(typesOf(cutAt(bytes, [cut]))).toEqual(types);
});

test('it is read as far as it is wanted', () => {
  let visits = 0;
  const spine = new Spine((type) => {
    visits++;
    return type !== 152;
  });
  const bytes = Buffer.from('[1,[152,[[43,[[15,["t"]]]]]]]');
  spine.push(bytes, 0, 7);
  expect(spine.ended).toBe(false);
  spine.push(bytes, 7, bytes.length);
  expect(spine.ended).toBe(true);
  expect(visits).toBe(1);
});
