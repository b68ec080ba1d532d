// What `tutti doctor` asks providers and local servers: their list of models, which costs nothing and shows whether a key
// is taken. No key is ever shown.

import { toCount } from "../../base/format.ts";
import { LOCAL_SERVERS, PROVIDERS, type ProviderInfo } from "../../config/default-models.ts";
import { type RelayTarget, relayTargetOf, toEndpoint } from "../../config/endpoint.ts";
import type { Environment } from "../../config/home.ts";
import { listModels } from "../../config/model-list.ts";
import type { Worker } from "../../worker/types.ts";
import type { Finding } from "./checks.ts";

const PROVIDER_TIMEOUT_MS = 3_000;
const LOCAL_TIMEOUT_MS = 500;

/** A line for each key that is set: whether its provider takes it. One line where none is. */
export async function checkKeys(env: Environment): Promise<Finding[]> {
  const set = PROVIDERS.flatMap((provider) => {
    const variable = provider.keys.find((name) => env[name]?.trim());
    return variable === undefined ? [] : [{ provider, variable }];
  });
  if (set.length === 0) {
    const detail = `none is set (known: ${PROVIDERS.map(({ keys }) => keys[0]).join(", ")})`;
    return [{ name: "keys", state: "ok", detail }];
  }
  return Promise.all(set.map(({ provider, variable }) => checkKey(provider, variable, env)));
}

async function checkKey(provider: ProviderInfo, name: string, env: Environment): Promise<Finding> {
  const result = toEndpoint(provider.id, env);
  if (!result.ok) return { name, state: "failed", detail: "it is empty", mend: `export ${name}=…` };
  const { endpoint } = result;
  const list = await listModels(endpoint, { timeoutMs: PROVIDER_TIMEOUT_MS });
  if (list.ok) {
    const detail = `${endpoint.baseUrl} takes it and lists ${toCount(list.models.length, "chat model")}`;
    return { name, state: "ok", detail };
  }
  const { status, why } = list;
  if (status === 401 || status === 403) {
    const detail = `${endpoint.baseUrl} refuses it (${status})`;
    return { name, state: "failed", detail, mend: `export ${name}=… with a key that is valid there` };
  }
  const detail = `${endpoint.baseUrl}: ${why}, so that nobody knows whether the key is valid`;
  return { name, state: "warning", detail, mend: `curl -sS ${endpoint.baseUrl}/models` };
}

/** The addresses of the config's workers, each once: whether somebody answers there, and takes the key. */
export async function checkAddresses(workers: readonly Worker[]): Promise<Finding[]> {
  const byAddress = new Map<string, { target: RelayTarget; ids: string[] }>();
  for (const worker of workers) {
    const target = relayTargetOf(worker);
    if (!target) continue;
    const address = `${target.baseUrl} ${target.apiKey}`;
    const { ids = [] } = byAddress.get(address) ?? {};
    byAddress.set(address, { target, ids: [...ids, worker.id] });
  }
  const findings = [...byAddress.values()].map(async ({ target, ids }): Promise<Finding[]> => {
    const name = ids.join(", ");
    const list = await listModels(target, { timeoutMs: PROVIDER_TIMEOUT_MS });
    if (list.ok) return [];
    if (list.isUnreachable) {
      const mend = "start that server, or mend baseUrl in the config";
      return [{ name, state: "failed", detail: `nobody answers at ${target.baseUrl}`, mend }];
    }
    if (list.status !== 401 && list.status !== 403) return [];
    const detail = `${target.baseUrl} refuses the key (${list.status})`;
    const mend = "put a valid key into the variable that the config names (apiKeyEnv)";
    return [{ name, state: "failed", detail, mend }];
  });
  return (await Promise.all(findings)).flat();
}

/** The servers of this machine that answer, at the ports they usually have. */
export async function checkServers(env: Environment): Promise<Finding> {
  const lists = await Promise.all(
    LOCAL_SERVERS.map(async ({ id, baseUrl }) => {
      const result = toEndpoint(id, env, { baseUrl });
      return {
        id,
        list: result.ok ? await listModels(result.endpoint, { timeoutMs: LOCAL_TIMEOUT_MS }) : undefined,
      };
    }),
  );
  const found = lists.flatMap(({ id, list }) =>
    list?.ok ? [`${id} (${toCount(list.models.length, "chat model")})`] : [],
  );
  const names = LOCAL_SERVERS.map(({ id }) => id).join(", ");
  return { name: "local servers", state: "ok", detail: found.join(", ") || `none of ${names} answers` };
}
