// Starts a training in the rehearsal: how long, which seed, how large the model.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import type { TrainingSettings, TrainingSummary } from "../../../src/gateway/dashboard/types.ts";
import { sendJson } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Choice, Field } from "../ui/field.tsx";
import { ErrorNote } from "../ui/notes.tsx";

const SIZES = [
  ["small", "tiny"],
  ["usual", "as it is shipped: minutes, then good"],
] as const;

export function StartForm({ onStart }: { onStart: () => void }) {
  const [iterations, setIterations] = useState("200");
  const [seed, setSeed] = useState("0");
  const [size, setSize] = useState<TrainingSettings["size"]>("small");
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: (settings: TrainingSettings) => sendJson<TrainingSummary>("POST", "v1/trainings", settings),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["v1/trainings"] });
      navigate(`/learn/${encodeURIComponent(id)}`);
      onStart();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate({ iterations: Number(iterations), seed: Number(seed), size });
  };
  const command = `tutti train --rehearsal --iterations ${iterations || "200"} --seed ${seed || "0"}${size === "small" ? " --width 32 --layers 1" : ""}`;
  return (
    <Card title="Train in the rehearsal">
      <form className="stack" onSubmit={submit}>
        <div className="form-grid">
          <Field label="Iterations" hint="after 300 of warm-up">
            <NumberInput min={1} max={100_000} value={iterations} onChange={setIterations} />
          </Field>
          <Field label="Seed" hint="of everything random">
            <NumberInput min={0} max={4_294_967_295} value={seed} onChange={setSeed} />
          </Field>
          <Choice
            label="Model"
            hint="tiny: to watch the curves move; its plans stay bad"
            value={size}
            options={SIZES}
            onChange={(value) => setSize(value as TrainingSettings["size"])}
          />
        </div>
        {start.error && <ErrorNote error={start.error} />}
        <div className="row">
          <Button kind="primary" type="submit" disabled={start.isPending}>
            {start.isPending ? "Starting…" : "Start"}
          </Button>
          <span className="muted small">
            It runs at a low priority beside this gateway and can be stopped. The same at the command line:{" "}
            <code>{command}</code>
          </span>
        </div>
      </form>
    </Card>
  );
}

interface NumberProps {
  min: number;
  max: number;
  value: string;
  onChange: (value: string) => void;
}

function NumberInput({ onChange, ...rest }: NumberProps) {
  return <input type="number" required {...rest} onChange={(event) => onChange(event.target.value)} />;
}
