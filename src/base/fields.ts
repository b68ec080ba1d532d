// JSON of a stranger: an object whose fields are looked at before they are used.

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** No fields where it is no object. */
export function toFields(value: unknown): Fields {
  return isObject(value) ? value : {};
}
