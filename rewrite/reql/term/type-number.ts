// Numbers in the places of types: of queries and of terms.

/** A number as the server takes it for a type, with its spelling: the low word of a double where it is no plain integer. */
export function typeNumber(value: number, spelling: string): number {
  if (value === (value | 0) && String(value).length === spelling.length) return value;
  if (/^-?\d+$/.test(spelling)) return value;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getInt32(4);
}
