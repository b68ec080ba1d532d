// Asks for a key when the gateway wants one. The key stays in this tab.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { hasKey, keyWanted, setKey } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";

export function KeyGate() {
  const isWanted = useSyncExternalStore(keyWanted.subscribe, keyWanted.get);
  return isWanted ? <Gate /> : null;
}

function Gate() {
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [wasRefused] = useState(hasKey);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setKey(text.trim());
    void client.resetQueries();
  };
  return (
    <dialog
      ref={dialog}
      className="key-gate"
      aria-labelledby="key-gate-title"
      onCancel={(e) => e.preventDefault()}
    >
      <form onSubmit={submit}>
        <h2 id="key-gate-title">This gateway wants a key</h2>
        <p className="muted">
          Make one with <code>tutti keys create --name me</code>. It is kept in this tab only.
        </p>
        {wasRefused && (
          <p className="note bad" role="alert">
            The gateway did not accept the key.
          </p>
        )}
        <Field label="API key">
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="sk-tutti-…"
            required
          />
        </Field>
        <Button kind="primary" type="submit" disabled={text.trim() === ""}>
          Go on
        </Button>
      </form>
    </dialog>
  );
}
