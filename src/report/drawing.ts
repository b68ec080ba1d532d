// A picture as plain data: shapes with their places and classes. A static report writes it as SVG, the dashboard
// draws it with React; both look alike because style.ts is all they know of colours.

import { html, type Markup } from "./html.ts";

/** One SVG element. Attributes are spelled as React does; `className` is a class of style.ts. */
export interface Shape {
  tag: "line" | "text" | "path" | "circle" | "rect";
  attributes: Record<string, string | number>;
  text?: string;
  /** Said on hover. */
  title?: string;
}

export interface Drawing {
  width: number;
  height: number;
  /** What it shows, for those who do not see it. */
  label: string;
  shapes: readonly Shape[];
  /** What is at this place, line by line, for who points at it. */
  readout?: (x: number) => string[];
}

export interface Size {
  width: number;
  height: number;
}

/** Colours that can be told apart; whatever comes after them is grey. */
export const MOST_COLOURS = 8;

export function colourOf(number: number): string {
  return number < MOST_COLOURS ? `var(--series-${number})` : "var(--line-strong)";
}

export function line(className: string, x1: number, y1: number, x2: number, y2: number): Shape {
  return { tag: "line", attributes: { className, x1, y1, x2, y2 } };
}

export function text(
  className: string,
  x: number,
  y: number,
  content: string,
  textAnchor: "start" | "middle" | "end" = "start",
): Shape {
  return { tag: "text", attributes: { className, x, y, textAnchor }, text: content };
}

export function path(className: string, d: string, color: string, title?: string): Shape {
  return inColour(color, { tag: "path", attributes: { className, d }, title });
}

export function circle(className: string, cx: number, cy: number, r: number, title: string): Shape {
  return { tag: "circle", attributes: { className, cx, cy, r }, title };
}

export function rect(className: string, x: number, y: number, { width, height }: Size, title: string): Shape {
  return { tag: "rect", attributes: { className, x, y, width, height }, title };
}

/** Style knows it as `currentColor`. */
export function inColour(color: string, shape: Shape): Shape {
  return { ...shape, attributes: { ...shape.attributes, color } };
}

const NAMES: Record<string, string> = { className: "class", textAnchor: "text-anchor" };

/** `isFixed`: as large as it is, instead of as wide as its place. */
export function toSvg({ width, height, label, shapes }: Drawing, isFixed = false): Markup {
  return html`<svg viewBox="0 0 ${width} ${height}"${isFixed && html` width="${width}"`} role="img" aria-label="${label}">
${shapes.map(({ tag, attributes, text: content, title }) => {
  const pairs = Object.entries(attributes).map(([name, value]) => html` ${NAMES[name] ?? name}="${value}"`);
  return html`<${tag}${pairs}>${title !== undefined && html`<title>${title}</title>`}${content}</${tag}>`;
})}
</svg>`;
}
