// The keys with their limits, and the way to revoke one.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toClock, toMoney } from "../../../src/base/format.ts";
import { WINDOW_WORDS } from "../../../src/gateway/access/budget-window.ts";
import type { ShownKey } from "../../../src/gateway/dashboard/types.ts";
import { sendJson } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/notes.tsx";
import { number, Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { When } from "../ui/values.tsx";

export function KeyTable({ keys, ownId }: { keys: readonly ShownKey[]; ownId: string | undefined }) {
  // Those that still work first, the newest first.
  const rows = keys.toSorted(
    (a, b) => Number(b.state === "active") - Number(a.state === "active") || b.createdAt - a.createdAt,
  );
  return (
    <Table<ShownKey>
      label="Keys"
      columns={[
        {
          title: "Name",
          cell: ({ name, id, hint }) => (
            <>
              <b>{name}</b> {id === ownId && <Tag tone="accent">this tab's</Tag>}
              <span className="muted small key-id">
                {id}, ends in …{hint}
              </span>
            </>
          ),
        },
        {
          title: "State",
          cell: ({ state, isAdmin }) => (
            <span className="row">
              <Tag tone={state === "active" ? "good" : "bad"}>{state}</Tag>
              {isAdmin && <Tag>admin</Tag>}
            </span>
          ),
        },
        { title: "Limits", cell: (key) => toLimits(key) || "none" },
        { title: "May ask", cell: (key) => toMayAsk(key) || "everybody" },
        number<ShownKey>("Expires", ({ expiresAt }) =>
          expiresAt === undefined ? "never" : toClock(expiresAt).slice(0, 16),
        ),
        number<ShownKey>("Created", ({ createdAt }) => <When at={createdAt} />),
        number<ShownKey>("", (key) => (key.state === "active" ? <Revoke {...key} /> : null)),
      ]}
      rows={rows}
      keyOf={({ id }) => id}
    />
  );
}

/** Asked twice: it cannot be undone. */
function Revoke({ id, name }: ShownKey) {
  const [isSure, setIsSure] = useState(false);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => sendJson("DELETE", `v1/keys/${encodeURIComponent(id)}`),
    onSettled: () => client.invalidateQueries({ queryKey: ["v1/keys"] }),
  });
  if (revoke.error) return <ErrorNote error={revoke.error} />;
  if (!isSure)
    return (
      <Button isSmall onClick={() => setIsSure(true)} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
    );
  return (
    <span className="row key-sure">
      <Button isSmall kind="danger" onClick={() => revoke.mutate()} disabled={revoke.isPending}>
        Revoke it for ever
      </Button>
      <Button isSmall onClick={() => setIsSure(false)}>
        Keep it
      </Button>
    </span>
  );
}

function toLimits({ budget, requestsPerMinute, concurrency }: ShownKey): string {
  return [
    budget && `${toMoney(budget.usd)} ${WINDOW_WORDS[budget.window]}`,
    requestsPerMinute !== undefined && `${requestsPerMinute} a minute`,
    concurrency !== undefined && `${concurrency} at once`,
  ]
    .filter(Boolean)
    .join(", ");
}

function toMayAsk({ only, without }: ShownKey): string {
  return [only && `only ${only.join(", ")}`, without && `not ${without.join(", ")}`]
    .filter(Boolean)
    .join("; ");
}
