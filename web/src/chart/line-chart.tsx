// Lines over a common axis, drawn by uPlot on a canvas: thousands of points stay smooth while they grow. Colours are
// those of the page and follow its theme. What the picture says is in its label too, for those who do not see it.

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { cssColour } from "../ui/colour.ts";
import "./chart.css";

export interface Line {
  name: string;
  /** One for each x; null where there is nothing. */
  values: (number | null)[];
  /** A variable of base.css: "--series-0". */
  colour: string;
  look?: "line" | "faint" | "dots" | "area" | "bars";
  /** An interval around it, drawn as a soft band. */
  band?: { low: (number | null)[]; high: (number | null)[] };
}

interface Props {
  /** In order. Seconds since 1970 where `isTime`. */
  x: number[];
  lines: readonly Line[];
  format: (value: number) => string;
  label: string;
  isTime?: boolean;
  xName?: string;
  height?: number;
  /** Where the axis must begin and end. */
  range?: { from?: number; to?: number };
}

export function LineChart(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  // What cannot be changed in a plot that is there: who is shown, and how.
  const shape = JSON.stringify([
    props.lines.map(({ name, colour, look, band }) => [name, colour, look, !!band]),
  ]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is drawn anew only when its shape changes
  useEffect(() => {
    const host = place.current!;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(toOptions(latest.current, host.clientWidth), toData(latest.current), host);
    };
    draw();
    const observer = new ResizeObserver(() => {
      const { height = HEIGHT } = latest.current;
      if (host.clientWidth > 0) plot.current?.setSize({ width: host.clientWidth, height });
    });
    observer.observe(host);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    addEventListener("tutti-theme", draw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", draw);
      removeEventListener("tutti-theme", draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);

  useEffect(() => plot.current?.setData(toData(props)), [props]);
  const { height = HEIGHT, label } = props;
  return (
    <div
      className="line-chart"
      role="img"
      aria-label={`${label}. ${toWords(props)}`}
      ref={place}
      style={{ minHeight: height }}
    />
  );
}

const HEIGHT = 190;
const FONT = "12px system-ui, sans-serif";

/** The band of a line is two more series, without a line of their own. */
function toData({ x, lines }: Props): uPlot.AlignedData {
  return [x, ...lines.flatMap(({ values, band }) => (band ? [values, band.low, band.high] : [values]))];
}

function toOptions(
  { lines, format, isTime, range, height = HEIGHT, xName = "" }: Props,
  width: number,
): uPlot.Options {
  const [ink, grid] = [cssColour("--muted"), cssColour("--line")];
  const series: uPlot.Series[] = [{ label: xName }];
  const bands: uPlot.Band[] = [];
  for (const { name, colour, look = "line", band } of lines) {
    const stroke = cssColour(colour);
    series.push(toSeries(name, stroke, look, format));
    if (!band) continue;
    const hidden = { label: `${name}, interval`, stroke: "transparent", points: { show: false } };
    series.push(hidden, hidden);
    bands.push({ series: [series.length - 1, series.length - 2], fill: withAlpha(stroke, 0.2) });
  }
  const axis = {
    stroke: ink,
    font: FONT,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
  };
  return {
    ...{ width: Math.max(width, 120), height, series, bands },
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { show: false },
    padding: [10, 12, 0, 0],
    scales: {
      x: { time: isTime ?? false },
      y: {
        range: (_, low, high) => {
          const { from = low ?? 0, to = high ?? 1 } = range ?? {};
          const most = Math.max(to, high ?? to);
          const least = Math.min(from, low ?? from);
          return most > least
            ? [least, most + (range?.to === undefined ? (most - least) * 0.08 : 0)]
            : [least, least + 1];
        },
      },
    },
    axes: [
      isTime ? { ...axis, values: toDays } : axis,
      { ...axis, size: toAxisWidth, values: (_, ticks) => ticks.map((tick) => format(tick)) },
    ],
    plugins: [readout(format, lines, isTime ?? false, xName)],
  };
}

function toSeries(
  label: string,
  stroke: string,
  look: NonNullable<Line["look"]>,
  format: Props["format"],
): uPlot.Series {
  const value = (_: uPlot, raw: number | null) => (raw === null ? "–" : format(raw));
  const common = { label, value, stroke, spanGaps: false };
  if (look === "dots")
    return { ...common, width: 1.5, spanGaps: true, points: { show: true, size: 6, fill: stroke } };
  if (look === "faint")
    return { ...common, width: 1, stroke: withAlpha(stroke, 0.35), points: { show: false } };
  if (look === "area") return { ...common, width: 1, fill: stroke, points: { show: false } };
  if (look === "bars")
    return {
      ...common,
      width: 0,
      fill: stroke,
      points: { show: false },
      paths: uPlot.paths.bars!({ size: [0.7, 40] }),
    };
  return { ...common, width: 2, points: { show: false } };
}

/** As wide as its longest label. */
function toAxisWidth(_: uPlot, labels: string[] | null): number {
  return Math.max(44, 7.2 * Math.max(0, ...(labels ?? []).map(({ length }) => length)) + 18);
}

/** Months and days as everybody reads them, whatever the browser's language. */
function toDays(_: uPlot, seconds: number[]): string[] {
  return seconds.map((at) => new Date(at * 1000).toISOString().slice(5, 10));
}

/** What is under the pointer, in words. */
function readout(
  format: Props["format"],
  lines: readonly Line[],
  isTime: boolean,
  xName: string,
): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "chart-readout";
  box.hidden = true;
  const positions: number[] = [];
  let next = 1;
  for (const { band } of lines) {
    positions.push(next);
    next += band ? 3 : 1;
  }
  return {
    hooks: {
      init: (plot) => void plot.over.append(box),
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        box.hidden = idx === null || idx === undefined || left < 0;
        if (box.hidden) return;
        const x = plot.data[0]![idx!]!;
        const head = isTime ? new Date(x * 1000).toISOString().slice(0, 10) : `${xName} ${x}`;
        const rows = lines.flatMap(({ name, look, values }, i) => {
          const raw = isStacked(look) ? values[idx!] : plot.data[positions[i]!]![idx!];
          const below = isStacked(look) ? (lines[i + 1]?.values[idx!] ?? 0) : 0;
          return raw === null || raw === undefined ? [] : [`${name}: ${format(raw - below)}`];
        });
        box.replaceChildren(
          ...[head, ...rows].map((text) =>
            Object.assign(document.createElement("div"), { textContent: text }),
          ),
        );
        box.classList.toggle("left", left > plot.over.clientWidth / 2);
      },
    },
  };
}

function toWords({ x, lines, format, isTime }: Props): string {
  if (x.length === 0) return "Nothing yet.";
  const parts = lines.flatMap(({ name, values, look }) => {
    const there = values.filter((value): value is number => value !== null && Number.isFinite(value));
    if (there.length === 0 || isStacked(look)) return [];
    return [`${name}: from ${format(there[0]!)} to ${format(there.at(-1)!)}`];
  });
  const span = isTime ? "" : `Over ${x.length} points. `;
  return `${span}${parts.join("; ")}.`;
}

function withAlpha(colour: string, alpha: number): string {
  const numbers = colour.match(/[\d.]+/g)?.slice(0, 3);
  return numbers ? `rgb(${numbers.join(" ")} / ${alpha})` : colour;
}

/** Each of them holds those that follow it. */
function isStacked(look: Line["look"]): boolean {
  return look === "area" || look === "bars";
}
