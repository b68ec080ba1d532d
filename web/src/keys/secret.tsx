// A secret, the one time that it is shown.

import { useState } from "react";
import type { CreatedKey } from "../../../src/gateway/dashboard/types.ts";
import { toUrl } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { copyText } from "../ui/copy.ts";

export function Secret({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  const { key, secret, isFirst } = created;
  const [state, setState] = useState<"new" | "copied" | "refused">("new");
  const copy = () =>
    copyText(secret).then(
      () => setState("copied"),
      () => setState("refused"),
    );
  return (
    <Card title={`The key "${key.name}" was created`}>
      <div className="stack" role="status">
        <p>
          <b>This is the only time that it is shown.</b> Keep it where passwords are kept.
          {isFirst && " The gateway is closed now: every program needs a key. This tab has it already."}
        </p>
        <pre className="block wrap" data-testid="secret">
          {secret}
        </pre>
        <p className="muted small">
          For OpenAI clients: base URL <code>{toUrl("v1").href}</code>, model <code>tutti</code>, and this as
          the API key.
        </p>
        <div className="row">
          <Button onClick={() => void copy()}>{state === "copied" ? "Copied" : "Copy"}</Button>
          <Button kind="primary" onClick={onDone}>
            I have kept it
          </Button>
          {state === "refused" && (
            <span className="muted small">The browser does not let us copy: select it.</span>
          )}
        </div>
      </div>
    </Card>
  );
}
