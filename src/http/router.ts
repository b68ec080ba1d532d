// Finds who serves an address. A path is looked up as it stands; only where that fails is it taken apart and compared
// with the patterns: `:name` is one part, `*name` (at the end) all of the rest. Escapes in parts are decoded where they
// can be; "." and ".." are names like any other, for no path leads to a file.

export interface Match<T> {
  route: T;
  params: Readonly<Record<string, string>>;
}

interface Pattern<T> {
  method: string;
  parts: string[];
  route: T;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

export class Router<T> {
  readonly #exact = new Map<string, Match<T>>();
  readonly #patterns: Pattern<T>[] = [];

  add(method: string, path: string, route: T): void {
    this.#patterns.push({ method, parts: path.split("/"), route });
    if (!/[:*]/.test(path)) this.#exact.set(`${method} ${path}`, { route, params: NO_PARAMS });
  }

  /** `path` without the query. HEAD is a GET whose body is not sent. */
  find(method: string, path: string): Match<T> | undefined {
    const asked = method === "HEAD" ? "GET" : method;
    const exact = this.#exact.get(`${asked} ${path}`);
    if (exact) return exact;
    const parts = toParts(path);
    for (const { method: served, parts: pattern, route } of this.#patterns) {
      const params = served === asked ? matchParts(pattern, parts) : undefined;
      if (params) return { route, params };
    }
    return undefined;
  }

  /** Which methods the path is served with, in the order in which they were added. */
  methodsOf(path: string): string[] {
    const parts = toParts(path);
    const found = this.#patterns.filter((pattern) => matchParts(pattern.parts, parts));
    return [...new Set(found.map(({ method }) => method))];
  }
}

function toParts(path: string): string[] {
  return path.split("/").map(decode);
}

function decode(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A part that is named may not be empty. */
function matchParts(
  pattern: readonly string[],
  parts: readonly string[],
): Match<unknown>["params"] | undefined {
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index];
    if (expected.startsWith("*")) {
      const rest = parts.slice(index).join("/");
      if (rest === "") return undefined;
      params[expected.slice(1)] = rest;
      return params;
    }
    if (expected.startsWith(":")) {
      if (!part) return undefined;
      params[expected.slice(1)] = part;
    } else if (part !== expected) return undefined;
  }
  return parts.length === pattern.length ? params : undefined;
}
