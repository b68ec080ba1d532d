// The few lines of protocol buffers that an ONNX file needs: fields are written one after the other, and
// a message is the bytes of its fields. Field numbers are those of the public ONNX schema.

const encoder = new TextEncoder();

export class ProtobufMessage {
  readonly #parts: Uint8Array[] = [];

  /** A whole number, not negative. */
  integer(field: number, value: number): this {
    this.#parts.push(varint(field * 8), varint(value));
    return this;
  }

  integers(field: number, values: readonly number[]): this {
    for (const value of values) this.integer(field, value);
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#parts.push(varint(field * 8 + 2), varint(value.length), value);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  message(field: number, value: ProtobufMessage): this {
    return this.bytes(field, value.toBytes());
  }

  toBytes(): Uint8Array {
    const result = new Uint8Array(this.#parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts) {
      result.set(part, at);
      at += part.length;
    }
    return result;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
