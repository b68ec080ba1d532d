// The one place that makes a name of a Conductor's identity: for lists, traces, messages and the JSON that people
// and scripts read. Nothing reads a name back; what decides is the identity itself.

import type { ConductorIdentity } from "./types.ts";

export function toConductorName(identity: ConductorIdentity): string {
  switch (identity.kind) {
    case "prompted":
      return `prompted:${identity.planner}`;
    case "native":
      return `native:${identity.checkpoint}`;
    case "trinity": {
      const { checkpoint, costPerCall, costPerUsd } = identity;
      if (costPerUsd !== undefined) return `trinity:${checkpoint}@${costPerUsd}/usd`;
      return `trinity:${checkpoint}${costPerCall === undefined ? "" : `@${costPerCall}`}`;
    }
    case "verified-cascade":
      return identity.judge === undefined ? identity.kind : `${identity.kind}:${identity.judge}`;
    case "scripted":
      return "scripted-planner";
    case "custom":
      return identity.id;
    case "fixed":
    case "single":
    case "fast":
    case "relay":
      return identity.kind;
  }
}
