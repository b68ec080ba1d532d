// The nouns of the small neural network: tensors, and the engine that runs graphs. Nothing in this folder
// knows of workflows or workers; a "slot" is something the model can point at, described by features.

export interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array | Int32Array;
}

export type Tensors = Record<string, Tensor>;

/** A compiled graph. Inputs are read in place, never copied or changed; outputs are new. */
export interface CompiledGraph {
  run(inputs: Tensors): Promise<Tensors>;
  /** Frees the engine's memory. */
  close(): Promise<void>;
}

/** Runs ONNX graphs. The same graph and inputs give bitwise the same outputs on one engine. */
export interface Engine {
  /** "onnxruntime-node 1.30.0, 2 threads": shown in logs and cards. */
  readonly id: string;
  load(model: Uint8Array): Promise<CompiledGraph>;
}

/** The weights of a model by name. They are inputs of every graph, so that training can change them. */
export type Weights = Map<string, Tensor & { data: Float32Array }>;

/** The sizes a model is made with; they never change after. */
export interface ModelShape {
  /** Text tokens; token `vocabulary + i` points at slot i. */
  vocabulary: number;
  width: number;
  layers: number;
  heads: number;
  /** Of the gated MLP. */
  hidden: number;
  /** Features that describe a slot. */
  features: number;
}
