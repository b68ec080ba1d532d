import { describe, expect, it } from "vitest";
import { parseConfig } from "./problems.ts";

function problemsOf(input: unknown): string[] {
  try {
    parseConfig(input);
  } catch (error) {
    return (error as Error).message.split("\n").map((line) => line.replace("the config: ", ""));
  }
  return [];
}

describe("what is wrong with a config", () => {
  it.each<[object, string]>([
    [{ worker: [] }, 'unknown field "worker". Did you mean "workers"?'],
    [{ max_output_tokens: 1 }, 'unknown field "max_output_tokens". Did you mean "maxOutputTokens"?'],
    [{ zebra: 1 }, 'unknown field "zebra".'],
    [{ limits: { callz: 1 } }, 'unknown field "limits.callz". Did you mean "calls"?'],
    [{ workers: [{ model: "a/b", prices: {} }] }, 'unknown field "workers[0].prices". Did you mean "price"?'],
    [
      { workers: [{ model: "a/b", price: { inputUsd: 1, outputUSD: 2, outputUsd: 2 } }] },
      'unknown field "workers[0].price.outputUSD". Did you mean "outputUsd"?',
    ],
    [
      { workers: [{ model: "a/b", price: { inputUsd: 1 } }] },
      "workers[0].price.outputUsd is missing: must be a number",
    ],
    [
      { store: "postgres://me:a-secret@db.example/team" },
      "store holds a key, and keys do not belong in a config. Write store: postgres, and put the address into TUTTI_POSTGRES_URL",
    ],
    [
      {
        workers: [
          { id: "large", model: "a/b" },
          { id: "c", model: "a/c", fallbacks: ["larg"] },
        ],
      },
      'workers[1].fallbacks[0] must be a worker (there are: large, c) or "provider/model", but is "larg". Did you mean "large"?',
    ],
    [
      { workers: [{ id: "c", model: "a/c", fallbacks: ["c"] }] },
      "workers[0].fallbacks[0] is the worker itself. Name another one",
    ],
    [
      { workers: [{ id: "c", model: "a/c" }], gateway: { aliases: { smart: "tuti-ultra" } } },
      'gateway.aliases.smart must be tutti, tutti-fast, tutti-ultra, a worker (there are: c) or "provider/model", but is "tuti-ultra". Did you mean "tutti-ultra"?',
    ],
    [
      { workers: [{ model: "a/c", deployments: [{ weight: 0 }] }] },
      "workers[0].deployments[0].weight must be more than 0, but is 0",
    ],
    [{ workers: {} }, "workers must be a list, but is a group of fields"],
    [{ workers: [7] }, "workers[0] must be a group of fields, but is 7"],
    [
      { workers: ["gpt-6-sol"] },
      'workers[0] must be "provider/model", such as "openai/gpt-6-sol", or an AI SDK model object, but is "gpt-6-sol"',
    ],
    [
      { workers: [{ model: "a/b", id: "self" }] },
      'workers[0].id must not be one of rehearsal, consensus, self, but is "self"',
    ],
    [
      { workers: [{ model: "a/b", baseUrl: "localhost" }] },
      'workers[0].baseUrl must be an http or https address, but is "localhost"',
    ],
    [{ workers: [{ model: "a/b", temperature: 3 }] }, "workers[0].temperature must be at most 2, but is 3"],
    [
      { workers: [{ model: "a/b", profile: { success: 70 } }] },
      "workers[0].profile.success must be at most 1, but is 70",
    ],
    [{ workers: ["a/b", "a/b"] }, 'workers[1] has the same id "a/b" as workers[0]. Give it an id of its own'],
    [{ rounds: 0 }, "rounds must be at least 1, but is 0"],
    [{ rounds: 1.5 }, "rounds must be a whole number, but is 1.5"],
    [{ consensus: "yes" }, 'consensus must be true or false, but is "yes"'],
    [{ limits: { usd: "1" } }, 'limits.usd must be a number or null, but is "1"'],
    [{ pools: { fast: [] } }, "pools.fast must not be empty, but is a list"],
    [{ store: "" }, 'store must not be empty, but is ""'],
  ])("%j", (input, message) => {
    expect(problemsOf(input)).toEqual([message]);
  });

  it("tells all at once", () => {
    expect(problemsOf({ rounds: 0, retries: -1, zebra: 1 })).toHaveLength(3);
  });

  it.each([
    [{ workers: [{ model: "a/b", apiKey: "abc" }] }, "workers[0].apiKey"],
    [{ workers: [{ model: "a/b", apiKeyEnv: "sk-proj-abcdefghijklmnop" }] }, "workers[0].apiKeyEnv"],
    [
      { workers: [{ model: "a/b", options: { header: "gsk_abcdefghijklmnopqrstu" } }] },
      "workers[0].options.header",
    ],
    [{ workers: [{ model: "a/b", baseUrl: "https://me:hunter2@example.com/v1" }] }, "workers[0].baseUrl"],
    [{ conductor: "AIzaSyA-abcdefghijklmnopqrstuvwxyz123" }, "conductor"],
  ])("refuses a key and does not repeat it: %#", (input, field) => {
    const [message, ...others] = problemsOf(input);
    expect(others).toEqual([]);
    expect(message).toContain(`${field} holds a key`);
    expect(message).toContain("environment variable");
    expect(message).not.toMatch(/abc|hunter2/);
  });

  it("accepts what it has parsed", () => {
    const config = parseConfig({ workers: ["a/b"], pools: { one: ["a/b"] }, limits: { usd: null } });
    expect(parseConfig(config)).toEqual(config);
  });
});
