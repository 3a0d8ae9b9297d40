// The columns in which items are drawn: their group, the fields of their values, and how often they are there.

import { pseudoType } from '../../rewrite/reql/data/data-type.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../rewrite/reql/data/datum.ts';
import type { Item } from './live-view.ts';

/** A column: its title, and what is in it of an item, and of what the item was. */
export interface ItemColumn {
  readonly title: string;
  readonly now: (item: Item) => Datum | undefined;
  readonly before: (item: Item) => Datum | undefined;
}

/** Items in which fields are looked for. */
const LOOKED_AT = 200;

/** The columns for some items. */
export function columnsOf(items: readonly Item[]): readonly ItemColumn[] {
  const looked = items.slice(0, LOOKED_AT);
  const group: ItemColumn = { title: 'group', now: (item) => item.group, before: (item) => item.group };
  const count: ItemColumn = { title: 'count', now: (item) => item.count, before: (item) => item.count };
  return [
    ...(looked.some((item) => item.group !== undefined) ? [group] : []),
    ...valueColumns(looked),
    ...(looked.some((item) => item.count !== undefined) ? [count] : []),
  ];
}

function valueColumns(items: readonly Item[]): readonly ItemColumn[] {
  const objects = items.flatMap(({ value }) => (isRow(value) ? [value] : []));
  if (objects.length === 0 || objects.length < items.length) {
    return [{ title: 'value', now: ({ value }) => value, before: ({ before }) => before }];
  }
  const fields = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...new Set(['id', ...fields])]
    .filter((field) => fields.has(field))
    .map((field) => ({
      title: field,
      now: ({ value }) => fieldOf(value, field),
      before: ({ before }) => fieldOf(before, field),
    }));
}

/** An object that is none of the pseudo-types. */
export function isRow(value: Datum): value is DatumObject {
  return isObject(value) && pseudoType(value) === undefined;
}

function fieldOf(value: Datum | undefined, field: string): Datum | undefined {
  return value !== undefined && isRow(value) ? getField(value, field) : undefined;
}
