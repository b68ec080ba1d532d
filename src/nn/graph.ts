// A graph of operations on tensors of fixed shapes, written as an ONNX model. Every value knows how its
// gradient flows back (`nn/operations.ts` has the rules), so one builder makes forward and backward graphs.

import { TuttiError } from "../base/errors.ts";
import { ProtobufMessage } from "./protobuf.ts";

export type Kind = "float" | "int32" | "int64" | "bool";

/** Given the gradient of an operation's result: the gradient of each of its inputs, or none. */
export type Backward = (gradient: Value) => readonly (Value | undefined)[];

export interface Value {
  readonly graph: Graph;
  readonly name: string;
  readonly dims: readonly number[];
  readonly kind: Kind;
  /** Some weight is behind it, so a gradient is wanted. */
  readonly isTrained: boolean;
  readonly inputs: readonly Value[];
  readonly backward?: Backward;
  /** It is a piece of its one input: the gradients of all pieces are put together at once. */
  readonly piece?: number;
  /** The gradient of a value from those of its pieces. */
  readonly join?: (pieces: readonly (Value | undefined)[]) => Value;
}

type Attribute = number | readonly number[];

const ELEMENT_TYPES: Record<Kind, number> = { float: 1, int32: 6, int64: 7, bool: 9 };
const ATTRIBUTE_TYPES = { integer: 2, integers: 7 };
const IR_VERSION = 8;
const OPSET = 17;

export class Graph {
  readonly #body = new ProtobufMessage();
  readonly #known = new Map<string, Value>();
  #count = 0;
  #hasOutput = false;

  /** Something given at every run. */
  input(name: string, dims: readonly number[], kind: Kind = "float"): Value {
    return this.#declare(name, dims, kind, false);
  }

  /** An input whose gradient may be asked for. */
  weight(name: string, dims: readonly number[]): Value {
    return this.#declare(name, dims, "float", true);
  }

  /** Part of the model itself. Equal ones are kept once. */
  constant(data: Float32Array | Int32Array | readonly number[], dims: readonly number[]): Value {
    const kind = data instanceof Float32Array ? "float" : data instanceof Int32Array ? "int32" : "int64";
    const bytes =
      data instanceof Float32Array || data instanceof Int32Array
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(BigInt64Array.from(data, BigInt).buffer);
    const key = data.length <= 16 ? `${kind}:${dims.join("x")}:${data.join(",")}` : undefined;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known) return known;
    const name = `c${this.#count++}`;
    const tensor = new ProtobufMessage().integers(1, dims).integer(2, ELEMENT_TYPES[kind]).text(8, name);
    this.#body.message(5, tensor.bytes(9, bytes));
    const value: Value = { graph: this, name, dims, kind, isTrained: false, inputs: [] };
    if (key !== undefined) this.#known.set(key, value);
    return value;
  }

  /** One ONNX node with one result. `backward` is left out where no gradient passes. */
  node(
    operation: string,
    inputs: readonly Value[],
    result: { dims: readonly number[]; kind?: Kind },
    options: { attributes?: Record<string, Attribute>; backward?: Backward } = {},
  ): Value {
    const { attributes = {}, backward } = options;
    const name = `v${this.#count++}`;
    const node = new ProtobufMessage();
    for (const input of inputs) node.text(1, input.name);
    node.text(2, name).text(4, operation);
    for (const [key, value] of Object.entries(attributes)) {
      const attribute = new ProtobufMessage().text(1, key);
      if (typeof value === "number") attribute.integer(3, value).integer(20, ATTRIBUTE_TYPES.integer);
      else attribute.integers(8, value).integer(20, ATTRIBUTE_TYPES.integers);
      node.message(5, attribute);
    }
    this.#body.message(1, node);
    const isTrained = backward !== undefined && inputs.some((input) => input.isTrained);
    const { dims, kind = "float" } = result;
    return { graph: this, name, dims, kind, isTrained, inputs, backward };
  }

  output(name: string, { name: from, dims, kind }: Value): void {
    this.#body.message(1, new ProtobufMessage().text(1, from).text(2, name).text(4, "Identity"));
    this.#body.message(12, toValueInfo(name, dims, kind));
    this.#hasOutput = true;
  }

  toModel(): Uint8Array {
    if (!this.#hasOutput) throw new TuttiError("bad-graph", "A graph without outputs computes nothing");
    const opset = new ProtobufMessage().text(1, "").integer(2, OPSET);
    const body = this.#body.text(2, "tutti");
    return new ProtobufMessage().integer(1, IR_VERSION).message(7, body).message(8, opset).toBytes();
  }

  #declare(name: string, dims: readonly number[], kind: Kind, isTrained: boolean): Value {
    this.#body.message(11, toValueInfo(name, dims, kind));
    return { graph: this, name, dims, kind, isTrained, inputs: [] };
  }
}

function toValueInfo(name: string, dims: readonly number[], kind: Kind): ProtobufMessage {
  const shape = new ProtobufMessage();
  for (const dim of dims) shape.message(1, new ProtobufMessage().integer(1, dim));
  const tensor = new ProtobufMessage().integer(1, ELEMENT_TYPES[kind]).message(2, shape);
  return new ProtobufMessage().text(1, name).message(2, new ProtobufMessage().message(1, tensor));
}

/**
 * The gradient of `loss`, a single number, for each of the given values: reverse mode, every rule once.
 * A value that the loss does not depend on is refused: its gradient would be a silent zero.
 */
export function gradientsOf(loss: Value, values: readonly Value[], one: Value): Value[] {
  const gradients = new Map<Value, Value>([[loss, one]]);
  const pieces = new Map<Value, (Value | undefined)[]>();
  for (const value of inReverseOrder(loss)) {
    const parts = pieces.get(value);
    if (parts) gradients.set(value, value.join!(parts));
    const gradient = gradients.get(value);
    if (gradient && value.piece !== undefined) {
      const [whole] = value.inputs as [Value];
      const known = pieces.get(whole) ?? [];
      known[value.piece] = gradient;
      pieces.set(whole, known);
    }
    if (!gradient || !value.backward) continue;
    const flowing = value.backward(gradient);
    for (const [i, input] of value.inputs.entries()) {
      const part = flowing[i];
      if (!part || !input.isTrained) continue;
      const before = gradients.get(input);
      gradients.set(input, before ? sum(before, part) : part);
    }
  }
  return values.map((value) => {
    const gradient = gradients.get(value);
    if (!gradient) throw new TuttiError("bad-graph", `The loss does not depend on "${value.name}"`);
    return gradient;
  });
}

function sum(a: Value, b: Value): Value {
  return a.graph.node("Add", [a, b], { dims: a.dims });
}

/** Every trained value behind the loss, results before what they were made of. */
function inReverseOrder(loss: Value): Value[] {
  const order: Value[] = [];
  const seen = new Set<Value>();
  const visit = (value: Value): void => {
    const waiting: { value: Value; next: number }[] = [{ value, next: 0 }];
    seen.add(value);
    while (waiting.length > 0) {
      const top = waiting.at(-1)!;
      const input = top.value.inputs[top.next++];
      if (!input) {
        order.push(top.value);
        waiting.pop();
      } else if (input.isTrained && !seen.has(input)) {
        seen.add(input);
        waiting.push({ value: input, next: 0 });
      }
    }
  };
  visit(loss);
  return order.reverse();
}
