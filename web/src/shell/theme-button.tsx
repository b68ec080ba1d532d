import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { applyTheme, readTheme, THEMES } from "./theme.ts";

const SIGNS = { system: "◐", light: "☀", dark: "☾" } as const;

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  const label = `Theme: ${theme}. Change to ${next}`;
  const change = () => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Button kind="quiet" onClick={change} aria-label={label} title={label}>
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </Button>
  );
}
