// Which runs are listed. The filter is part of the address, so that it can be kept, sent and linked to.

import { useEffect, useState } from "react";
import type { Query } from "../api.ts";
import { useModels } from "../shell/models.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
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

export function toQuery({ from, until, ...rest }: Filter): Query {
  const start = toDayStart(from);
  // The whole of that day.
  const end = toDayStart(until) + DAY_MS;
  return {
    ...rest,
    ...(Number.isFinite(start) && { started_from: start }),
    ...(Number.isFinite(end) && { started_before: end }),
  };
}

/** As the reader's clock has it. */
function toDayStart(day: string | undefined): number {
  return day ? new Date(`${day}T00:00:00`).getTime() : Number.NaN;
}

interface Props {
  filter: Filter;
  onChange: (filter: Filter) => void;
}

export function Filters({ filter, onChange }: Props) {
  const { data: models = [] } = useModels();
  const set = (name: keyof Filter, value: string) => onChange({ ...filter, [name]: value });
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <search className="filters">
      <SearchField
        key={filter.search === undefined ? "none" : "some"}
        value={filter.search ?? ""}
        onChange={(value) => set("search", value)}
      />
      <Field label="State">
        <select value={filter.state ?? ""} onChange={(event) => set("state", event.target.value)}>
          <option value="">any</option>
          <option value="running">running</option>
          <option value="ended">ended</option>
          <option value="interrupted">interrupted</option>
        </select>
      </Field>
      <Field label="Why it ended">
        <select value={filter.stop_reason ?? ""} onChange={(event) => set("stop_reason", event.target.value)}>
          <option value="">any</option>
          {Object.entries(STOP_REASONS).map(([reason, { word }]) => (
            <option key={reason} value={reason}>
              {word}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Model">
        <select value={filter.model ?? ""} onChange={(event) => set("model", event.target.value)}>
          <option value="">any</option>
          {filter.model && models.every(({ id }) => id !== filter.model) && <option>{filter.model}</option>}
          {models.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </Field>
      <Field label="Key">
        <input
          value={filter.key ?? ""}
          placeholder="any"
          spellCheck={false}
          onChange={(event) => set("key", event.target.value.trim())}
        />
      </Field>
      <Field label="From">
        <input type="date" value={filter.from ?? ""} onChange={(event) => set("from", event.target.value)} />
      </Field>
      <Field label="Until">
        <input
          type="date"
          value={filter.until ?? ""}
          onChange={(event) => set("until", event.target.value)}
        />
      </Field>
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
