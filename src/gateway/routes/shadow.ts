// How the shadow does beside what clients are answered with: for admins alone.

import { SHADOW_KEY_ID } from "../../store/shadow.ts";
import { endOfWindow, startOfWindow } from "../access/budget-window.ts";
import type { ShownShadow } from "../dashboard/types.ts";
import { readWhole } from "../http/route.ts";
import type { Handler } from "../types.ts";

const MOST_RUNS = 500;

export const showShadow: Handler = async ({ config, reader, tutti }, { connection, key, query }) => {
  const limit = readWhole(query.limit, "limit", 1, MOST_RUNS);
  const report = await reader.read(key, "compareShadows", { limit });
  const { shadow } = config.gateway;
  const now = Date.now();
  const account = await (await tutti.store()).loadAccount(SHADOW_KEY_ID, startOfWindow("day", now));
  const shown: ShownShadow = {
    object: "shadow",
    settings: shadow ?? null,
    today: { ...account, resetsAt: endOfWindow("day", now)! },
    ...report,
  };
  connection.json(200, shown);
};
