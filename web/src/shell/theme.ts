// Light, dark, or as the system has it. CSS reads data-theme; without it prefers-color-scheme decides.

const STORED = "tutti-theme";

export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function readTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

export function applyTheme(theme: Theme = readTheme()): void {
  localStorage.setItem(STORED, theme);
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}
