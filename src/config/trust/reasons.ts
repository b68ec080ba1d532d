// Why a config must be trusted before it takes effect, and where its workers and its embeddings are. Pure.
// A key goes without a question only to the provider whose variable it is. Everything else that a config can say
// (which models, limits, prices, a folder of weights) can cost money or give bad answers, and needs no trust.

import { PROVIDERS } from "../default-models.ts";
import { findProviderInfo, splitRef, toAddress } from "../endpoint.ts";
import type { Environment } from "../home.ts";
import { isPoolMember, type ModelEntry, type TuttiConfig } from "../schema.ts";

export type TrustReason =
  | { kind: "code"; files: number }
  | { kind: "key"; variable: string; host: string; isEncrypted: boolean }
  /** A journal that others have prepared can hold runs that go on by themselves. */
  | { kind: "store"; path: string }
  | { kind: "retention"; days: number };

export interface Destination {
  /** With its port where that is not the usual one. */
  host: string;
  /** The server of a provider we know, or one on this machine: nothing is told to a stranger there. */
  isKnown: boolean;
  /** Of a key that goes there although it is not that provider's. */
  variable?: string;
  isEncrypted: boolean;
}

type Address = Pick<ModelEntry, "model" | "baseUrl" | "apiKeyEnv">;

/** Of the workers that are data, and of embeddings; what workers made in code do, nobody can tell. */
export function findDestinations({ workers = [], embeddings }: TuttiConfig, env: Environment): Destination[] {
  const entries: Address[] = workers.flatMap((entry) => (isPoolMember(entry) ? [] : [entry]));
  const all = [...entries, ...(embeddings ? [embeddings] : [])].flatMap((entry) => toDestination(entry, env));
  const seen = new Map(all.map((each) => [`${each.host} ${each.isEncrypted} ${each.variable}`, each]));
  // A stranger must not hide behind a long list of good names.
  return [...seen.values()].sort((a, b) => rank(a) - rank(b));
}

export function findReasons(config: TuttiConfig, env: Environment): TrustReason[] {
  const keys = findDestinations(config, env).flatMap(({ host, variable, isEncrypted }): TrustReason[] =>
    variable === undefined ? [] : [{ kind: "key", variable, host, isEncrypted }],
  );
  const { store, retentionDays } = config;
  const isFile = store !== undefined && store !== "memory";
  return [
    ...keys,
    ...(isFile ? [{ kind: "store" as const, path: store }] : []),
    ...(retentionDays !== undefined && store !== "memory"
      ? [{ kind: "retention" as const, days: retentionDays }]
      : []),
  ];
}

/** For people: what it does. Names of variables, never their values. */
export function toReasonText(reason: TrustReason): string {
  switch (reason.kind) {
    case "code": {
      const more = reason.files === 0 ? "" : `, with ${reason.files} more beside it`;
      return `it is code${more}: it runs as you, and can read your keys and files`;
    }
    case "key":
      return `it sends ${reason.variable} to ${reason.host}${reason.isEncrypted ? "" : ", not encrypted"}`;
    case "store":
      return `it keeps runs in ${JSON.stringify(reason.path)} and goes on with those that are there`;
    case "retention":
      return `it deletes runs older than ${reason.days} days from the journal`;
  }
}

/** Whether the variable is one of the provider that has this address. Look-alikes, ports and plain http are not. */
export function isProvidersOwn(variable: string, address: string): boolean {
  return PROVIDERS.some(({ keys, baseUrl }) => keys.includes(variable) && isSameServer(address, baseUrl));
}

function isSameServer(address: string, baseUrl: string): boolean {
  const { origin, username, password } = new URL(address);
  return origin === new URL(baseUrl).origin && username === "" && password === "";
}

function toDestination(entry: Address, env: Environment): Destination[] {
  if (typeof entry.model !== "string") return [];
  const { provider } = splitRef(entry.model);
  const info = findProviderInfo(provider);
  const baseUrl = findAddress(provider, env, entry);
  if (baseUrl === undefined) return [];
  const url = new URL(baseUrl);
  const { apiKeyEnv } = entry;
  // An address of the environment is the user's own, so the provider's key may go there.
  const isUsers = entry.baseUrl === undefined;
  const isOwn =
    apiKeyEnv === undefined ||
    (isUsers && info?.keys.includes(apiKeyEnv)) ||
    isProvidersOwn(apiKeyEnv, baseUrl);
  return [
    {
      host: url.host,
      isKnown: isUsers || isLoopback(url) || PROVIDERS.some((known) => isSameServer(baseUrl, known.baseUrl)),
      variable: isOwn ? undefined : apiKeyEnv,
      isEncrypted: url.protocol === "https:" || isLoopback(url),
    },
  ];
}

/** Without one it cannot be asked, and says so when it is wanted. */
function findAddress(provider: string, env: Environment, entry: Address): string | undefined {
  try {
    return toAddress(provider, env, entry);
  } catch {
    return undefined;
  }
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function rank({ isKnown, variable }: Destination): number {
  return variable !== undefined ? 0 : isKnown ? 2 : 1;
}
