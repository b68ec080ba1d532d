// A new key with its limits. Its secret is shown once, here, and is nowhere else afterwards.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { BUDGET_WINDOWS } from "../../../src/gateway/access/budget-window.ts";
import type { CreatedKey, KeySettings } from "../../../src/gateway/dashboard/types.ts";
import { sendJson, setKey } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { ErrorNote } from "../ui/notes.tsx";
import { Secret } from "./secret.tsx";

const DAY_MS = 86_400_000;

interface Props {
  /** There is no key yet: this one closes the gateway. */
  isFirst: boolean;
  onDone: () => void;
}

export function CreateForm({ isFirst, onDone }: Props) {
  const client = useQueryClient();
  const [created, setCreated] = useState<CreatedKey>();
  const create = useMutation({
    mutationFn: (settings: KeySettings) => sendJson<CreatedKey>("POST", "v1/keys", settings),
    onSuccess: async (made) => {
      // From now on nobody gets in without a key, this tab neither.
      if (made.isFirst) setKey(made.secret);
      setCreated(made);
      await client.invalidateQueries({ queryKey: ["v1/keys"] });
      if (made.isFirst) await client.invalidateQueries({ queryKey: ["v1/session"] });
    },
  });
  if (created) return <Secret created={created} onDone={onDone} />;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(toSettings(new FormData(event.currentTarget), isFirst));
  };
  return (
    <Card title={isFirst ? "Create the first key" : "Create a key"}>
      <form className="stack" onSubmit={submit}>
        {isFirst && (
          <p className="note warn">
            This gateway is open now. The first key closes it: every program needs a key from then on. It is
            an admin's, so that this page goes on working; this tab will keep it.
          </p>
        )}
        <div className="form-grid">
          <Field label="Name">
            <input name="name" required maxLength={64} autoComplete="off" placeholder="my team" />
          </Field>
          <Field label="Budget in dollars" hint="empty: no limit">
            <input name="usd" type="number" min={0} step="any" placeholder="none" />
          </Field>
          <Field label="Budget for each">
            <select name="window" defaultValue="month">
              {BUDGET_WINDOWS.map((window) => (
                <option key={window}>{window}</option>
              ))}
            </select>
          </Field>
          <Field label="Requests a minute" hint="empty: no limit">
            <input name="requestsPerMinute" type="number" min={1} placeholder="none" />
          </Field>
          <Field label="At the same time" hint="requests that run at once">
            <input name="concurrency" type="number" min={1} placeholder="none" />
          </Field>
          <Field label="Expires after days" hint="empty: never">
            <input name="days" type="number" min={1} max={36_500} placeholder="never" />
          </Field>
          <Field label="Ask only" hint="providers or workers, parted by commas">
            <input name="only" autoComplete="off" placeholder="everybody" />
          </Field>
          <Field label="Never ask" hint="even where the field before names them">
            <input name="without" autoComplete="off" placeholder="nobody" />
          </Field>
        </div>
        {!isFirst && (
          <label className="row">
            <input name="isAdmin" type="checkbox" /> An admin's: sees all runs and bills, looks after keys
          </label>
        )}
        {create.error && <ErrorNote error={create.error} />}
        <div className="row">
          <Button kind="primary" type="submit" disabled={create.isPending}>
            {isFirst ? "Create it and close the gateway" : "Create"}
          </Button>
          <Button onClick={onDone}>Cancel</Button>
        </div>
      </form>
    </Card>
  );
}

/** Empty fields are no limits. */
function toSettings(form: FormData, isFirst: boolean): KeySettings {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const number = (name: string) => (text(name) === "" ? undefined : Number(text(name)));
  const names = (name: string) => text(name).match(/[^\s,]+/g) ?? undefined;
  const usd = number("usd");
  const days = number("days");
  const window = BUDGET_WINDOWS.find((each) => each === text("window")) ?? "month";
  return {
    name: text("name"),
    isAdmin: isFirst || form.get("isAdmin") === "on",
    requestsPerMinute: number("requestsPerMinute"),
    concurrency: number("concurrency"),
    budget: usd === undefined ? undefined : { usd, window },
    expiresAt: days === undefined ? undefined : Date.now() + days * DAY_MS,
    only: names("only"),
    without: names("without"),
  };
}
