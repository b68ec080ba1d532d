import type { ReactNode } from "react";

interface Props {
  label: string;
  /** A sentence below the input. */
  hint?: ReactNode;
  /** One input, select or textarea. */
  children: ReactNode;
  className?: string;
}

/** A label around its input: no ids to keep apart. */
export function Field({ label, hint, children, className = "" }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className={`field ${className}`}>
      <span className="field-label">{label}</span>
      {children}
      {hint && <span className="hint">{hint}</span>}
    </label>
  );
}
