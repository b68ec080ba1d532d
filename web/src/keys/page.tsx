// Who may use the gateway, how much they may spend, and what they spent. An admin looks after all keys; another key
// sees its own quota and its own bill.

import { useState } from "react";
import type { DashboardSession, ShownKey } from "../../../src/gateway/dashboard/types.ts";
import type { PageProps } from "../shell/pages.ts";
import { Button } from "../ui/button.tsx";
import { Card, PageHead } from "../ui/card.tsx";
import { Empty, ErrorNote, Loaded } from "../ui/notes.tsx";
import { useJson } from "../ui/use-json.ts";
import { CreateForm } from "./create-form.tsx";
import { KeyTable } from "./key-table.tsx";
import { Quota } from "./quota.tsx";
import { Usage } from "./usage.tsx";
import "./keys.css";

export default function Page(_: PageProps) {
  const session = useJson<DashboardSession>("v1/session");
  return (
    <div className="stack">
      <Loaded query={session}>
        {(data) => (data.isAdmin ? <Admin session={data} /> : <Own session={data} />)}
      </Loaded>
    </div>
  );
}

function Admin({ session }: { session: DashboardSession }) {
  const [isCreating, setIsCreating] = useState(false);
  const { data, error } = useJson<{ data: ShownKey[] }>("v1/keys", undefined, { refetchInterval: 10_000 });
  const keys = data?.data;
  return (
    <>
      <PageHead
        title="Keys and usage"
        actions={
          <Button kind="primary" aria-expanded={isCreating} onClick={() => setIsCreating(!isCreating)}>
            Create a key
          </Button>
        }
      >
        Who may use this gateway, whom they may ask, and how much they may spend.
      </PageHead>
      {error && <ErrorNote error={error} />}
      {isCreating && <CreateForm isFirst={session.isOpen} onDone={() => setIsCreating(false)} />}
      {keys?.length === 0 && !isCreating && (
        <Card>
          <Empty title="This gateway is open">
            <p>
              No key is defined, so every program on this machine may use it, and no other machine can. The
              first key closes it: from then on everybody needs one, this page too.
            </p>
            <pre>tutti keys create --name me --admin</pre>
          </Empty>
        </Card>
      )}
      {keys && keys.length > 0 && (
        <Card title="Keys">
          <KeyTable keys={keys} ownId={session.key?.id} />
        </Card>
      )}
      <Usage keys={keys ?? []} />
    </>
  );
}

function Own({ session }: { session: DashboardSession }) {
  return (
    <>
      <PageHead title="Keys and usage">This key is not an admin's: it sees its own quota and bill.</PageHead>
      <Quota />
      <Usage keys={session.key ? [session.key] : []} />
    </>
  );
}
