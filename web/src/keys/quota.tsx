// What a key that is no admin's may still spend.

import { useQuery } from "@tanstack/react-query";
import { toMoney } from "../../../src/base/format.ts";
import { getJson } from "../api.ts";
import { Card } from "../ui/card.tsx";
import { ErrorNote, Loading } from "../ui/notes.tsx";
import { Meter } from "../ui/values.tsx";

interface QuotaBody {
  key: { name: string };
  spent_usd: number;
  budget: {
    limit_usd: number;
    spent_usd: number;
    remaining_usd: number;
    window: string;
    resets_at: string | null;
  } | null;
}

export function Quota() {
  const { data, error } = useQuery({
    queryKey: ["quota"],
    queryFn: ({ signal }) => getJson<QuotaBody>("v1/usage", undefined, signal),
    refetchInterval: 5_000,
  });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading />;
  const { key, budget } = data;
  return (
    <Card title={`The key "${key.name}"`}>
      {budget ? (
        <p className="row">
          <Meter share={budget.spent_usd / budget.limit_usd} />
          {toMoney(budget.spent_usd)} of {toMoney(budget.limit_usd)} spent ({budget.window});{" "}
          {toMoney(budget.remaining_usd)} left
          {budget.resets_at && `, anew from ${budget.resets_at.slice(0, 10)}`}
        </p>
      ) : (
        <p>{toMoney(data.spent_usd)} spent; it has no budget.</p>
      )}
    </Card>
  );
}
