// What the gateway's shadow would have answered, beside what clients were answered. Absent where there never was one.

import { Link } from "wouter";
import { toMoney, toPercent } from "../../../src/base/format.ts";
import type { ShownShadow } from "../../../src/gateway/dashboard/types.ts";
import { toShadowSentences, toShadowTable } from "../../../src/gateway/shadow/view.ts";
import { Card } from "../ui/card.tsx";
import { DataTable } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { useJson } from "../ui/use-json.ts";

export function ShadowCard() {
  const { data } = useJson<ShownShadow>("v1/shadow", undefined, { refetchInterval: 15_000 });
  if (!data || (!data.settings && data.comparisons.length === 0)) return null;
  const { settings, today, comparisons, runs, isCut } = data;
  return (
    <Card
      title="Shadow"
      aside={<Tag tone={settings ? "good" : "plain"}>{settings ? "on" : "switched off"}</Tag>}
    >
      <div className="stack">
        {settings && (
          <p>
            {toPercent(settings.share)} of the requests are asked again of{" "}
            <span className="mono">{settings.model}</span>, unseen. Today{" "}
            {toMoney(
              today.spentUsd,
              comparisons.some(({ isSimulated }) => isSimulated),
            )}{" "}
            of {toMoney(settings.budgetUsd)} are spent. <Link href="/runs?key=shadow">Shadow runs</Link>
          </p>
        )}
        {comparisons.length === 0 && <p className="muted">No request has been asked again yet.</p>}
        {comparisons.map((comparison) => (
          <div key={comparison.model} className="stack">
            <h3 className="mono">{comparison.model}</h3>
            <p>{toShadowSentences(comparison).join(" ")}</p>
            <DataTable view={toShadowTable(comparison)} />
          </div>
        ))}
        {isCut && <p className="small muted">Of the newest {runs} shadow runs.</p>}
      </div>
    </Card>
  );
}
