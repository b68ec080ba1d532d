// JSON whose rewards are floats in its text. JSON.stringify writes 1 for 1.0; OpenRLHF makes an integer tensor
// of that, and a batch of only zeros and ones dies in its training.

/** A number that must be read as a float by whoever parses the text. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export type FloatJson =
  | Float
  | string
  | number
  | boolean
  | null
  | readonly FloatJson[]
  | { readonly [name: string]: FloatJson };

export function toFloatText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no number that JSON could hold`);
  const text = Object.is(value, -0) ? "0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

export function toFloatJson(value: FloatJson): string {
  if (value instanceof Float) return toFloatText(value.value);
  if (Array.isArray(value)) return `[${value.map(toFloatJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}:${toFloatJson(field)}`,
  );
  return `{${fields.join(",")}}`;
}
