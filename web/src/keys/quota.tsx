// What a key that is no admin's may still spend.

import { toMoney } from "../../../src/base/format.ts";
import { Card } from "../ui/card.tsx";
import { Loaded } from "../ui/notes.tsx";
import { useJson } from "../ui/use-json.ts";
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
  const quota = useJson<QuotaBody>("v1/usage", undefined, { refetchInterval: 5_000 });
  return <Loaded query={quota}>{(data) => <QuotaCard quota={data} />}</Loaded>;
}

function QuotaCard({ quota: { key, budget, spent_usd } }: { quota: QuotaBody }) {
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
        <p>{toMoney(spent_usd)} spent; it has no budget.</p>
      )}
    </Card>
  );
}
