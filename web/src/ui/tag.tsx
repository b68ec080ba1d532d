import type { ReactNode } from "react";

export type Tone = "plain" | "accent" | "good" | "warn" | "bad";

export function Tag({
  tone = "plain",
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span className={`tag ${tone}`} title={title}>
      {children}
    </span>
  );
}
