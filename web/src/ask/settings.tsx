// How the next question is asked: by which model, how well, at what price, in how many rounds, and of whom.

import { useId, useState } from "react";
import { QUALITIES } from "../../../src/base/quality-names.ts";
import type { PoolReport } from "../../../src/gateway/dashboard/types.ts";
import { isTeam, useModels } from "../shell/models.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field } from "../ui/field.tsx";
import { useJson } from "../ui/use-json.ts";
import type { ChatWish } from "./session.ts";

const STORED = "tutti-ask";

export interface Settings {
  model: string;
  /** "" leaves it to the gateway, as in the next two. */
  quality: string;
  rounds: string;
  budget: string;
  /** Workers that are not to be asked. */
  without: string[];
}

const ROUNDS = [
  ["", "as usual"],
  1,
  ...[2, 3, 4, 5].map((most) => [most, `up to ${most}`] as const),
] as const;
const QUALITY = [["", "as usual"], ...QUALITIES] as const;
const USUAL: Settings = { model: "tutti", quality: "", rounds: "", budget: "", without: [] };

export function useSettings(): [Settings, (settings: Settings) => void] {
  const [settings, setSettings] = useState(read);
  const keep = (next: Settings) => {
    setSettings(next);
    localStorage.setItem(STORED, JSON.stringify(next));
  };
  return [settings, keep];
}

function read(): Settings {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(STORED) ?? "{}") as Partial<Settings>) };
  } catch {
    return USUAL;
  }
}

/** `workers` are those that there are: who was left out and has gone since does not count. */
export function toWanted(settings: Settings, workers: readonly string[]): ChatWish {
  const { model, quality, rounds, budget, without } = settings;
  const left = workers.filter((id) => !without.includes(id));
  const usd = Number.parseFloat(budget);
  const tutti = {
    quality: isTeam(model) && quality !== "" ? quality : undefined,
    rounds: rounds === "" ? undefined : Number(rounds),
    budget_usd: usd >= 0 ? usd : undefined,
    pool: isTeam(model) && left.length > 0 && left.length < workers.length ? left : undefined,
  };
  return Object.values(tutti).every((value) => value === undefined) ? { model } : { model, tutti };
}

interface Props {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

export function SettingsBar({ settings, onChange }: Props) {
  const { ids, teams, workers } = useModels();
  const { model, quality, rounds, budget, without } = settings;
  const isForTeam = isTeam(model);
  const change = (more: Partial<Settings>) => onChange({ ...settings, ...more });
  return (
    <div className="ask-settings">
      <Field label="Model">
        <select value={model} onChange={(event) => change({ model: event.target.value })}>
          {!ids.includes(model) && <option>{model}</option>}
          <optgroup label="Teams">
            {teams.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </optgroup>
          <optgroup label="One worker">
            {workers.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </optgroup>
        </select>
      </Field>
      <Choice
        label="Quality"
        value={quality}
        options={QUALITY}
        isDisabled={!isForTeam}
        onChange={(value) => change({ quality: value })}
      />
      <Choice
        label="Rounds"
        value={rounds}
        options={ROUNDS}
        isDisabled={!isForTeam}
        onChange={(value) => change({ rounds: value })}
      />
      <Field label="Budget, dollars">
        <input
          type="number"
          inputMode="decimal"
          min="0"
          step="0.01"
          placeholder="as usual"
          value={budget}
          onChange={(event) => change({ budget: event.target.value })}
        />
      </Field>
      <PoolField
        workers={workers}
        without={without}
        isDisabled={!isForTeam}
        onChange={(next) => change({ without: next })}
      />
    </div>
  );
}

interface PoolProps {
  workers: readonly string[];
  without: readonly string[];
  isDisabled: boolean;
  onChange: (without: string[]) => void;
}

function PoolField({ workers, without, isDisabled, onChange }: PoolProps) {
  const id = useId();
  const { data } = useJson<PoolReport>("v1/pool", { hours: 1 }, { staleTime: 600_000 });
  const chosen = workers.filter((worker) => !without.includes(worker));
  return (
    <div className="field pool-field">
      <span className="field-label" id={id}>
        Pool
      </span>
      <details aria-labelledby={id}>
        <summary className={`button ${isDisabled ? "disabled" : ""}`}>
          {chosen.length === workers.length ? "everybody" : `${chosen.length} of ${workers.length}`}
        </summary>
        <fieldset className="pool-list" disabled={isDisabled}>
          <legend className="visually-hidden">Who may be asked</legend>
          {Object.entries(data?.pools ?? {}).map(([name, ids]) => (
            <Button
              key={name}
              kind="quiet"
              onClick={() => onChange(workers.filter((worker) => !ids.includes(worker)))}
            >
              Only {name}
            </Button>
          ))}
          {workers.map((worker) => (
            <label key={worker} className="row">
              <input
                type="checkbox"
                checked={!without.includes(worker)}
                onChange={(event) =>
                  onChange(
                    event.target.checked ? without.filter((each) => each !== worker) : [...without, worker],
                  )
                }
              />
              {worker}
            </label>
          ))}
          {chosen.length === 0 && <span className="hint">Nobody is chosen: everybody will be asked.</span>}
        </fieldset>
      </details>
    </div>
  );
}
