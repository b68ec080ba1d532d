// What was spent: day by day, by key or by model, and the sums. Simulated money is never added to real money.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toCount } from "../../../src/base/format.ts";
import type { DayOfWork, ShownKey } from "../../../src/gateway/dashboard/types.ts";
import { toStackedBars } from "../../../src/report/bar-chart.ts";
import { getJson } from "../api.ts";
import { Card } from "../ui/card.tsx";
import { ChartView } from "../ui/chart.tsx";
import { Choice } from "../ui/field.tsx";
import { Empty, Loaded } from "../ui/notes.tsx";
import { number, Table } from "../ui/table.tsx";
import { CacheSaving, Money, Tokens } from "../ui/values.tsx";
import { type BillGroup, type BillLine, fromDays, type Sum, toBars, toSums } from "./bill.ts";

const DAY_MS = 86_400_000;
const SPANS = [7, 30, 90].map((days) => [days, `${days} days`] as const);
const GROUPS = ["key", ["model", "model asked for"], "worker"] as const;

export function Usage({ keys }: { keys: readonly Pick<ShownKey, "id" | "name">[] }) {
  const [group, setGroup] = useState<BillGroup>("key");
  const [days, setDays] = useState<number>(30);
  const bill = useQuery({
    queryKey: ["usage", group, days],
    queryFn: ({ signal }) => readBill(group, days, signal),
    refetchInterval: 5_000,
    placeholderData: (before) => before,
  });
  const nameOf = (value: string) =>
    group !== "key"
      ? value
      : value === ""
        ? "without a key"
        : (keys.find(({ id }) => id === value)?.name ?? value);
  return (
    <Card
      title="Spent over time"
      aside={
        <span className="row">
          <Choice
            label="By"
            value={group}
            options={GROUPS}
            onChange={(value) => setGroup(value as BillGroup)}
          />
          <Choice label="Over" value={days} options={SPANS} onChange={(value) => setDays(Number(value))} />
        </span>
      }
    >
      <Loaded query={bill}>
        {({ lines, isCut }) =>
          lines.length === 0 ? (
            <Empty title="Nothing was spent in this time">
              <p>Point any OpenAI client at this gateway, or ask something here.</p>
            </Empty>
          ) : (
            <>
              {isCut && <p className="muted small">Only the newest thousand runs are counted.</p>}
              <BillView lines={lines} group={group} days={days} nameOf={nameOf} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

interface UsageBill {
  lines: BillLine[];
  /** Only the newest runs were counted. */
  isCut?: boolean;
}

async function readBill(group: BillGroup, days: number, signal: AbortSignal): Promise<UsageBill> {
  if (group === "worker") {
    const query = { hours: days * 24 };
    const found = await getJson<{ data: DayOfWork[]; isCut: boolean }>("v1/pool/days", query, signal);
    return { lines: fromDays(found.data), isCut: found.isCut };
  }
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const bill = await getJson<{ data: BillLine[] }>("v1/usage", { group: `day,${group}`, from }, signal);
  return { lines: bill.data };
}

const TITLES: Record<BillGroup, string> = { key: "Key", model: "Model", worker: "Worker" };
const TOKENS = number<Sum>("Tokens", (sum) => <Tokens input={sum.input_tokens} output={sum.output_tokens} />);
const CACHES = number<Sum>("Caches", (sum) => (
  <CacheSaving tokens={sum.cached_input_tokens} savedUsd={sum.cache_saved_usd} isSimulated={sum.simulated} />
));

interface BillProps {
  lines: readonly BillLine[];
  group: BillGroup;
  days: number;
  nameOf: (value: string) => string;
}

function BillView({ lines, group, days, nameOf }: BillProps) {
  const chart = toStackedBars(toBars(lines, group, days, Date.now(), nameOf));
  const sums = toSums(lines, group);
  return (
    <div className="stack">
      <ChartView chart={chart} />
      <Table<Sum>
        label={`What was spent by ${group}`}
        columns={[
          { title: TITLES[group], cell: (sum) => nameOf(sum.value) },
          number<Sum>("Requests", ({ runs }) => toCount(runs, "run")),
          number<Sum>("Calls", ({ calls }) => calls),
          ...(group === "worker" ? [] : [TOKENS]),
          // Where no provider has a cache, or none was used, it would be an empty column.
          ...(sums.some((sum) => sum.cached_input_tokens > 0 || sum.cache_saved_usd !== 0) ? [CACHES] : []),
          number<Sum>("Cost", (sum) => <Money usd={sum.cost_usd} isSimulated={sum.simulated} />),
        ]}
        rows={sums}
        keyOf={({ value, simulated }) => `${value} ${simulated}`}
      />
    </div>
  );
}
