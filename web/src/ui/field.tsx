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

/** Where what is shown is not what is chosen, both. */
export type ChoiceOptions = readonly (string | number | readonly [value: string | number, name: string])[];

interface ChoiceProps {
  label: string;
  hint?: string;
  value: string | number;
  options: ChoiceOptions;
  isDisabled?: boolean;
  onChange: (value: string) => void;
}

/** One of several. */
export function Choice({ label, hint, value, options, isDisabled, onChange }: ChoiceProps) {
  return (
    <Field label={label} hint={hint}>
      <select value={value} disabled={isDisabled} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => {
          const [chosen, name] = Array.isArray(option) ? option : [option, option];
          return (
            <option key={chosen} value={chosen}>
              {name}
            </option>
          );
        })}
      </select>
    </Field>
  );
}
