// What is shown where there is nothing to show: not yet, not at all, or not possible.

import type { ReactNode } from "react";
import { ApiError } from "../api.ts";

interface LoadedProps<T> {
  query: { data: T | undefined; error: unknown };
  what?: string;
  children: (data: T) => ReactNode;
}

/** What was asked for, when it is there; until then that it is loading, or why it cannot. */
export function Loaded<T>({ query: { data, error }, what, children }: LoadedProps<T>) {
  return (
    <>
      {error ? <ErrorNote error={error} /> : null}
      {data !== undefined ? children(data) : !error && <Loading what={what} />}
    </>
  );
}

/** An empty state says what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" /> {what}…
    </div>
  );
}

export function ErrorNote({ error }: { error: unknown }) {
  // The page asks for a key by itself then.
  if (error instanceof ApiError && error.status === 401) return null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <p className="note bad" role="alert">
      {message}
    </p>
  );
}
