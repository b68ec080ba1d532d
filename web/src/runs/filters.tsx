// Which runs are listed. The filter is part of the address, so that it can be kept, sent and linked to.

import { useEffect, useState } from "react";
import type { QueryValues } from "../api.ts";
import { useModels } from "../shell/models.ts";
import { Button } from "../ui/button.tsx";
import { Choice, type ChoiceOptions, Field } from "../ui/field.tsx";
import { STOP_REASONS } from "./stop-tag.tsx";

/** Named as the gateway's own query is; "from" and "until" are days. */
const NAMES = ["search", "state", "stop_reason", "model", "key", "from", "until"] as const;
export type Filter = Partial<Record<(typeof NAMES)[number], string>>;

const TYPING_MS = 250;
const DAY_MS = 86_400_000;

export function useFilter(): [Filter, (filter: Filter) => void] {
  const [filter, setFilter] = useState(readAddress);
  useEffect(() => {
    const onMove = () => setFilter(readAddress());
    addEventListener("hashchange", onMove);
    return () => removeEventListener("hashchange", onMove);
  }, []);
  const change = (next: Filter) => {
    const words = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== ""));
    history.replaceState(history.state, "", `#/runs${words.size > 0 ? `?${words}` : ""}`);
    setFilter(next);
  };
  return [filter, change];
}

function readAddress(): Filter {
  const words = new URLSearchParams(location.hash.split("?")[1] ?? "");
  return Object.fromEntries(NAMES.flatMap((name) => (words.get(name) ? [[name, words.get(name)!]] : [])));
}

export function toQuery({ from, until, ...rest }: Filter): QueryValues {
  const start = toDayStart(from);
  // The whole of that day.
  const end = toDayStart(until) + DAY_MS;
  return {
    ...rest,
    started_from: Number.isFinite(start) ? start : undefined,
    started_before: Number.isFinite(end) ? end : undefined,
  };
}

/** As the reader's clock has it. */
function toDayStart(day: string | undefined): number {
  return day ? new Date(`${day}T00:00:00`).getTime() : Number.NaN;
}

const REASONS = Object.entries(STOP_REASONS).map(([reason, { word }]) => [reason, word] as const);

interface Props {
  filter: Filter;
  onChange: (filter: Filter) => void;
}

export function Filters({ filter, onChange }: Props) {
  const { ids } = useModels();
  const models = filter.model && !ids.includes(filter.model) ? [filter.model, ...ids] : ids;
  const set = (name: keyof Filter, value: string) => onChange({ ...filter, [name]: value });
  const isFiltered = Object.values(filter).some(Boolean);
  const choose = (label: string, name: keyof Filter, options: ChoiceOptions) => (
    <Choice
      label={label}
      value={filter[name] ?? ""}
      options={[["", "any"], ...options]}
      onChange={(value) => set(name, value)}
    />
  );
  return (
    <search className="filters">
      <SearchField
        key={filter.search === undefined ? "none" : "some"}
        value={filter.search ?? ""}
        onChange={(value) => set("search", value)}
      />
      {choose("State", "state", ["running", "ended", "interrupted"])}
      {choose("Why it ended", "stop_reason", REASONS)}
      {choose("Model", "model", models)}
      <Field label="Key">
        <input
          value={filter.key ?? ""}
          placeholder="any"
          spellCheck={false}
          onChange={(event) => set("key", event.target.value.trim())}
        />
      </Field>
      {(["from", "until"] as const).map((name) => (
        <Field key={name} label={name === "from" ? "From" : "Until"}>
          <input type="date" value={filter[name] ?? ""} onChange={(event) => set(name, event.target.value)} />
        </Field>
      ))}
      {isFiltered && (
        <Button kind="quiet" onClick={() => onChange({})}>
          Show all
        </Button>
      )}
    </search>
  );
}

/** Asks when one has stopped typing. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing is a reason
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Field label="Question or answer" className="search-field">
      <input
        type="search"
        value={text}
        placeholder="Search"
        onChange={(event) => setText(event.target.value)}
      />
    </Field>
  );
}
