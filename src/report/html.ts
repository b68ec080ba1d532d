// Text that goes into a page is escaped by construction: whatever is put into `html` is text unless it came
// out of `html` itself. Names of workers, tasks and folders are other people's words.

export interface Markup {
  readonly markup: string;
}

export type Content = Markup | string | number | false | undefined | readonly Content[];

export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  let markup = strings[0]!;
  for (const [i, value] of values.entries()) markup += toText(value) + strings[i + 1]!;
  return { markup };
}

function toText(value: Content): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
  if ("markup" in value) return value.markup;
  return value.map(toText).join("");
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** A page that loads nothing and runs nothing. */
export function toPage(title: string, style: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: style }}</style></head><body>
<h1>${title}</h1>${body}
</body></html>
`.markup;
}

/** Simulated results are always called so. */
export const SIMULATED =
  "Simulated: workers and tasks are the rehearsal's. Nothing here says anything about a real model.";
