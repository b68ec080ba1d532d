// What `tutti doctor` looks at: each check says what it found and, where something is wrong, what mends it. Nothing is asked
// of a model, so it costs nothing.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isTuttiError, messageOf } from "../../base/errors.ts";
import { type Environment, isPostgresAddress, toStorePath, toTuttiHome } from "../../config/home.ts";
import { resolvePool } from "../../config/pool.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import { toPublicName } from "../../store/postgres/connection.ts";
import { modelsOf } from "../../worker/kinds.ts";

export interface Finding {
  name: string;
  /** warning: it works, though not as well as it could. */
  state: "ok" | "warning" | "failed";
  detail: string;
  /** What mends it. Absent where nothing is wrong. */
  mend?: string;
}

const LEAST_NODE = [20, 19] as const;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const isNew = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  if (isNew) return { name: "node", state: "ok", detail: version };
  const detail = `${version} is too old`;
  return { name: "node", state: "failed", detail, mend: `install Node ${LEAST_NODE.join(".")} or newer` };
}

/** Only training needs it: trained Conductors plan without. */
export async function checkEngine(): Promise<Finding> {
  const { openEngine, toInstallCommand } = await import("../../nn/engine.ts");
  try {
    const { id } = await openEngine();
    return { name: "engine", state: "ok", detail: id };
  } catch {
    const detail = `not installed; only training the native Conductor needs it: ${toInstallCommand()}`;
    return { name: "engine", state: "ok", detail };
  }
}

/** Keys, addresses, servers and the workers of the config: who can be asked, and why others cannot. */
export async function checkWorkers(config: TuttiConfig, env: Environment): Promise<Finding[]> {
  try {
    const { pool, notice, workers } = await resolvePool(config, { env });
    const models = modelsOf(pool).map(({ worker }) => worker.id);
    const wrong = workers.filter(({ state }) => !["ready", "same-model", "over-limit"].includes(state));
    const found: Finding = notice
      ? {
          name: "workers",
          state: "warning",
          detail: "no key, no local server, no workers in a config: the rehearsal (simulated) answers",
          mend: "export OPENAI_API_KEY=… (or: ollama serve, then ollama pull qwen3), then: tutti init",
        }
      : { name: "workers", state: "ok", detail: models.join(", ") };
    // What the environment offers was asked for its models just now.
    const { checkAddresses } = await import("./providers.ts");
    const addresses = config.workers?.length
      ? await checkAddresses(modelsOf(pool).map(({ worker }) => worker))
      : [];
    return [
      found,
      ...addresses,
      ...wrong.map(({ id, state, detail = "" }): Finding => {
        const mend = state === "not-chat" ? "take it out of the config" : "tutti pool check";
        return { name: id, state: "warning", detail, mend };
      }),
    ];
  } catch (error) {
    if (!isTuttiError(error)) throw error;
    const mend = "do what the message says, then: tutti pool check";
    return [{ name: "workers", state: "failed", detail: error.message, mend }];
  }
}

export async function checkJournal(config: TuttiConfig, env: Environment): Promise<Finding> {
  let path = "";
  try {
    path = toStorePath(config.store, env);
    const [{ openStore }, { JOURNAL_FORMAT }] = await Promise.all([
      import("../../store/open.ts"),
      import("../../store/sqlite/format.ts"),
    ]);
    const store = await openStore(path);
    await store.listRuns({ limit: 1 });
    await store.close();
    if (isPostgresAddress(path))
      return { name: "journal", state: "ok", detail: `Postgres, ${toPublicName(path)}` };
    if (path === "memory") return { name: "journal", state: "ok", detail: "in memory: nothing is kept" };
    await access(path, constants.W_OK);
    const { size } = await stat(path);
    const detail = `${path}, ${(size / 1e6).toFixed(1)} MB, format ${JOURNAL_FORMAT}, writable`;
    return { name: "journal", state: "ok", detail };
  } catch (error) {
    const mend =
      path === "" || isPostgresAddress(path)
        ? "do what the message says, or take store out of the config"
        : `make ${path} writable, put a copy of it back, or set TUTTI_HOME (now ${toTuttiHome(env)})`;
    return { name: "journal", state: "failed", detail: messageOf(error), mend };
  }
}
