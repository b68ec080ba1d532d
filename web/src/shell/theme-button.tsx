// Light, dark, or as the system has it. CSS reads data-theme; without it prefers-color-scheme decides.

import { useState } from "react";
import { Button } from "../ui/button.tsx";

const STORED = "tutti-theme";

type Theme = "system" | "light" | "dark";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

function readTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

export function applyTheme(theme: Theme = readTheme()): void {
  localStorage.setItem(STORED, theme);
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

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
