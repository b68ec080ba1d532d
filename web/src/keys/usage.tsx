// What was spent: day by day, by key or by model, and the sums. Simulated money is never added to real money.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toCount, toMoney } from "../../../src/cli/format.ts";
import type { ShownKey } from "../../../src/gateway/dashboard-types.ts";
import { getJson } from "../api.ts";
import { Legend } from "../chart/legend.tsx";
import { LineChart } from "../chart/line-chart.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Money, Tokens } from "../ui/figures.tsx";
import { Empty, ErrorNote, Loading } from "../ui/notes.tsx";
import { Table } from "../ui/table.tsx";
import { type BillLine, type Group, toBars, toSums } from "./bill.ts";

const DAY_MS = 86_400_000;
const SPANS = [7, 30, 90] as const;

export function Usage({ keys }: { keys: readonly ShownKey[] }) {
  const [group, setGroup] = useState<Group>("key");
  const [days, setDays] = useState<number>(30);
  const { data, error } = useQuery({
    queryKey: ["usage", group, days],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return getJson<{ data: BillLine[] }>("v1/usage", { group: `day,${group}`, from }, signal);
    },
    refetchInterval: 5_000,
    placeholderData: (before) => before,
  });
  const nameOf = (value: string) =>
    group === "model"
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
      {data?.data.length === 0 && (
        <Empty title="Nothing was spent in this time">
          <p>Point any OpenAI client at this gateway, or ask something here.</p>
        </Empty>
      )}
      {data && data.data.length > 0 && <Bill lines={data.data} group={group} days={days} nameOf={nameOf} />}
    </Card>
  );
}

interface BillProps {
  lines: readonly BillLine[];
  group: Group;
  days: number;
  nameOf: (value: string) => string;
}

function Bill({ lines, group, days, nameOf }: BillProps) {
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
          { title: group === "key" ? "Key" : "Model", cell: (sum) => nameOf(sum.value) },
          { title: "Requests", align: "right", cell: ({ runs }) => toCount(runs, "run") },
          { title: "Calls", align: "right", cell: ({ calls }) => calls },
          {
            title: "Tokens",
            align: "right",
            cell: (sum) => <Tokens input={sum.input_tokens} output={sum.output_tokens} />,
          },
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
