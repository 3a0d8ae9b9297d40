// Objects of the kind that JSON.parse makes.

/** An object as keys and values. */
export interface Fields {
  readonly [key: string]: unknown;
}

/** Whether a value is an object of the kind that JSON.parse makes, in whatever realm. */
export function isPlain(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
