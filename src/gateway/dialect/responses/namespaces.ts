// Tools in namespaces: coding agents send every MCP server as one. Models of other providers know no namespaces, so the
// tools inside get flat names, and calls of them get their two names back. Flat names are made from the two names alone:
// the same tool has the same name in every request, or a prompt cache would miss. Pure.

import { hash } from "node:crypto";
import { type Fields, isFields } from "../../http/object-reader.ts";
import { type TypedTool, toFunction, typedToolOf } from "./typed-tools.ts";

/** The longest name that all providers take, and the letters it may have. */
const LONGEST_FLAT_NAME = 64;
const PLAIN = /^[A-Za-z0-9_-]+$/;

export interface NamedTool {
  namespace?: string;
  name: string;
  isCustom: boolean;
  /** It is one of those that OpenAI has defined. */
  typed?: TypedTool;
}

export function toFlatName(namespace: string, name: string): string {
  const flat = namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
  if (flat.length <= LONGEST_FLAT_NAME && PLAIN.test(flat)) return flat;
  const mark = hash("sha256", JSON.stringify([namespace, name])).slice(0, 8);
  const plain = flat.replace(/[^A-Za-z0-9_-]/g, "_");
  return `${plain.slice(0, LONGEST_FLAT_NAME - mark.length - 1)}_${mark}`;
}

/** The name that a choice or a call of such a tool stands for. */
export function toModelToolName({ namespace, name }: Fields): unknown {
  return typeof namespace === "string" && typeof name === "string" ? toFlatName(namespace, name) : name;
}

/** The request's tools with those of namespaces beside the others, under their flat names. */
export function flattenTools(tools: readonly unknown[]): unknown[] {
  const names = new Set(tools.map((tool) => (isFields(tool) ? tool.name : undefined)));
  return tools.flatMap((tool) => {
    if (isFields(tool) && typedToolOf(tool)) return [toFunction(tool, names)];
    if (!isFields(tool) || tool.type !== "namespace" || !Array.isArray(tool.tools)) return [tool];
    const { name: namespace, description: about } = tool;
    if (typeof namespace !== "string") return [tool];
    return tool.tools.map((inner: unknown, index): unknown => {
      if (!isFields(inner) || typeof inner.name !== "string") return inner;
      const described = [index === 0 ? about : undefined, inner.description];
      const texts = described.filter((text) => typeof text === "string" && text !== "");
      const description = texts.length > 0 ? texts.join("\n\n") : undefined;
      return { ...inner, name: toFlatName(namespace, inner.name), description };
    });
  });
}

/** What the client calls the tool that a model has called. Undefined for one that is in no list of tools. */
export function findNamedTool(tools: unknown, called: string): NamedTool | undefined {
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (!isFields(tool)) continue;
    const { type, name } = tool;
    const typed = type === called && name === undefined ? typedToolOf(tool) : undefined;
    if (typed) return { name: called, isCustom: false, typed };
    if (type !== "namespace") {
      if (name === called) return { name: called, isCustom: type === "custom" };
      continue;
    }
    for (const inner of Array.isArray(tool.tools) ? tool.tools : []) {
      if (!isFields(inner) || typeof inner.name !== "string" || typeof name !== "string") continue;
      if (toFlatName(name, inner.name) === called)
        return { namespace: name, name: inner.name, isCustom: inner.type === "custom" };
    }
  }
  return undefined;
}
