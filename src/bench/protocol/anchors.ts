// What is published on each protocol, with its source and date: figures alone, so that a table never stands without
// them. Figures marked "from the files" are not printed anywhere; they follow from the published files by one division.

import type { Anchor, ProtocolName } from "./types.ts";

const ARENA = "RouterArena leaderboard";
const ROUTELLM = "RouteLLM, arXiv 2406.18665, MMLU";
const ROUTERDC = "RouterDC, NeurIPS 2024";

export const ANCHORS: Readonly<Record<ProtocolName, readonly Anchor[]>> = {
  routerarena: [
    {
      name: "Paix2",
      metrics: { arena: 0.7763, accuracy: 0.7969, cost: 0.27 },
      source: ARENA,
      date: "2026-08",
    },
    { name: "Sqwish", metrics: { arena: 0.7621 }, source: ARENA, date: "2026-08" },
    { name: "vLLM-SR", metrics: { arena: 0.7486 }, source: ARENA, date: "2026-08" },
    { name: "one model alone", metrics: { arena: 0.7061 }, source: ARENA, date: "2026-08" },
    { name: "GPT-5 alone", metrics: { arena: 0.6432 }, source: ARENA, date: "2026-08" },
    { name: "NotDiamond", metrics: { arena: 0.5729 }, source: ARENA, date: "2026-08" },
    {
      name: "CARROT",
      metrics: { arena: 0.6387, optSel: 0.0268, optCost: 0.0677, optAcc: 0.7863, robustness: 0.936 },
      source: "RouterArena, arXiv 2510.00202",
      date: "2025-10",
    },
  ],
  routellm: [
    {
      name: "best router",
      metrics: { apgr: 0.603, cpt50: 0.354, cpt80: 0.703 },
      source: ROUTELLM,
      date: "2024",
    },
    { name: "random", metrics: { apgr: 0.5, cpt50: 0.5, cpt80: 0.8 }, source: ROUTELLM, date: "2024" },
  ],
  routerdc: [
    { name: "RouterDC", metrics: { inside: 0.5854 }, source: ROUTERDC, date: "2024" },
    {
      name: "best single (dolphin-2.9-llama3-8b)",
      metrics: { inside: 0.5456 },
      source: ROUTERDC,
      date: "2024",
    },
    {
      name: "best worker of each set, by the training files",
      metrics: { inside: 0.5867 },
      source: `${ROUTERDC}, from the files`,
      date: "2024",
    },
    { name: "oracle", metrics: { inside: 0.7752 }, source: `${ROUTERDC}, from the files`, date: "2024" },
  ],
};
