// What was spent: day by day, by key or by model, and the sums. Simulated money is never added to real money.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toCount, toMoney } from "../../../src/base/format.ts";
import type { DayOfWork, ShownKey } from "../../../src/gateway/dashboard/types.ts";
import { getJson } from "../api.ts";
import { Legend } from "../chart/legend.tsx";
import { LineChart } from "../chart/line-chart.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Money, Tokens } from "../ui/figures.tsx";
import { Empty, ErrorNote, Loading } from "../ui/notes.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { type BillLine, fromDays, type Group, type Sum, toBars, toSums } from "./bill.ts";

const DAY_MS = 86_400_000;
const SPANS = [7, 30, 90] as const;

export function Usage({ keys }: { keys: readonly Pick<ShownKey, "id" | "name">[] }) {
  const [group, setGroup] = useState<Group>("key");
  const [days, setDays] = useState<number>(30);
  const { data, error } = useQuery({
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
          <Field label="By">
            <select value={group} onChange={(event) => setGroup(event.target.value as Group)}>
              <option value="key">key</option>
              <option value="model">model asked for</option>
              <option value="worker">worker</option>
            </select>
          </Field>
          <Field label="Over">
            <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
              {SPANS.map((span) => (
                <option key={span} value={span}>
                  {span} days
                </option>
              ))}
            </select>
          </Field>
        </span>
      }
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data?.lines.length === 0 && (
        <Empty title="Nothing was spent in this time">
          <p>Point any OpenAI client at this gateway, or ask something here.</p>
        </Empty>
      )}
      {data?.isCut && <p className="muted small">Only the newest thousand runs are counted.</p>}
      {data && data.lines.length > 0 && (
        <BillView lines={data.lines} group={group} days={days} nameOf={nameOf} />
      )}
    </Card>
  );
}

interface Bill {
  lines: BillLine[];
  /** Only the newest runs were counted. */
  isCut?: boolean;
}

async function readBill(group: Group, days: number, signal: AbortSignal): Promise<Bill> {
  if (group === "worker") {
    const query = { hours: days * 24 };
    const found = await getJson<{ data: DayOfWork[]; isCut: boolean }>("v1/pool/days", query, signal);
    return { lines: fromDays(found.data), isCut: found.isCut };
  }
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const bill = await getJson<{ data: BillLine[] }>("v1/usage", { group: `day,${group}`, from }, signal);
  return { lines: bill.data };
}

const TITLES: Record<Group, string> = { key: "Key", model: "Model", worker: "Worker" };
const TOKENS: Column<Sum> = {
  title: "Tokens",
  align: "right",
  cell: (sum) => <Tokens input={sum.input_tokens} output={sum.output_tokens} />,
};

interface BillProps {
  lines: readonly BillLine[];
  group: Group;
  days: number;
  nameOf: (value: string) => string;
}

function BillView({ lines, group, days, nameOf }: BillProps) {
  const bars = toBars(lines, group, days, Date.now(), nameOf);
  const sums = toSums(lines, group);
  return (
    <div className="stack">
      <LineChart
        x={bars.x}
        lines={bars.lines}
        format={(usd) => toMoney(usd)}
        label={`Dollars a day by ${group}`}
        isTime
        height={200}
        range={{ from: 0 }}
      />
      <Legend entries={bars.lines.map(({ name, colour }) => ({ name, colour }))} />
      <Table
        label={`What was spent by ${group}`}
        columns={[
          { title: TITLES[group], cell: (sum) => nameOf(sum.value) },
          { title: "Requests", align: "right", cell: ({ runs }) => toCount(runs, "run") },
          { title: "Calls", align: "right", cell: ({ calls }) => calls },
          ...(group === "worker" ? [] : [TOKENS]),
          {
            title: "Cost",
            align: "right",
            cell: (sum) => <Money usd={sum.cost_usd} isSimulated={sum.simulated} />,
          },
        ]}
        rows={sums}
        keyOf={({ value, simulated }) => `${value} ${simulated}`}
      />
    </div>
  );
}
