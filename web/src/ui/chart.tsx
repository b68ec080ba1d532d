// Drawings and charts of src/report, drawn by React. What they show is computed there, for static reports too.

import {
  createElement,
  type PointerEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Chart } from "../../../src/report/chart.ts";
import type { Drawing } from "../../../src/report/drawing.ts";

export function Picture({ drawing }: { drawing: Drawing }) {
  const { width, height, label, shapes, readout } = drawing;
  const [pointed, setPointed] = useState<{ lines: string[]; isRight: boolean }>();
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width: shown } = currentTarget.getBoundingClientRect();
    const share = (clientX - left) / shown;
    const lines = readout?.(share * width) ?? [];
    setPointed(lines.length > 0 ? { lines, isRight: share > 0.5 } : undefined);
  };
  // Pointing at it must not draw it anew.
  const drawn = useMemo(
    () =>
      shapes.map(({ tag, attributes, text, title }, i) =>
        createElement(tag, { key: i, ...attributes }, title && <title>{title}</title>, text),
      ),
    [shapes],
  );
  return (
    <div className="picture" onPointerMove={readout && point} onPointerLeave={() => setPointed(undefined)}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {drawn}
      </svg>
      {pointed && (
        <div className={`readout ${pointed.isRight ? "left" : ""}`}>
          {pointed.lines.map((each) => (
            <div key={each}>{each}</div>
          ))}
        </div>
      )}
    </div>
  );
}

/** As wide as its place. */
export function ChartView({ chart, height = 200 }: { chart: Chart; height?: number }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const drawing = useMemo(
    () => (width > 0 ? chart.draw({ width, height }) : undefined),
    [chart, width, height],
  );
  return (
    <div ref={place} className="chart">
      <p className="legend">
        {chart.legend.map(({ name, colour, value, isPoint }) => (
          <span key={name}>
            <i className={isPoint ? "dot" : "dash"} style={{ background: colour }} />
            {name} {value !== undefined && <b>{value}</b>}
          </span>
        ))}
      </p>
      {drawing ? <Picture drawing={drawing} /> : <p className="muted">Nothing measured yet.</p>}
      {chart.hint && <p className="muted small">{chart.hint}</p>}
    </div>
  );
}

/** Of an element, as it changes. */
export function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
