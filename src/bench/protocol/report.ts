// The page of a protocol: table, curve and how it was measured. Self-contained like every report.

import { toCount } from "../../base/format.ts";
import {
  circle,
  colourOf,
  type Drawing,
  inColour,
  line,
  MOST_COLOURS,
  path,
  type Shape,
  text,
  toSvg,
} from "../../report/drawing.ts";
import { html, toPage } from "../../report/html.ts";
import { linearScale } from "../../report/scale.ts";
import { PAGE_STYLE } from "../../report/style.ts";
import { toTable } from "../../report/table.ts";
import type { ProtocolResult, ProtocolRow } from "./types.ts";
import { READS_NOTE, toProtocolHeadline, toProtocolTable } from "./view.ts";

export function toProtocolReport(result: ProtocolResult, command: string): string {
  const { title, recording, tasks, workers, how, metrics, refused, anchorNote, seed, rows } = result;
  const curves = rows.filter(({ curve, reads }) => curve && reads !== "outcome").slice(0, MOST_COLOURS);
  return toPage(
    `Protocol: ${title}`,
    PAGE_STYLE,
    html`<p class="muted">${recording} · ${toCount(tasks, "test task")} · ${toCount(workers.length, "worker")}</p>
<p>${toProtocolHeadline(result)}</p>
<h2>Measured and published</h2>${toTable(toProtocolTable(result, "below"))}
<p class="muted">${READS_NOTE} ${anchorNote}</p>
${
  curves.length > 0 &&
  html`<h2>What a share of strong calls recovers</h2>${toSvg(drawCurves(curves))}
<p class="muted">By deciles. The straight line is a router that knows nothing; the oracle is left out.</p>`
}
<h2>How it was measured</h2><dl>
<dt>command</dt><dd><code>${command}</code></dd>
${how.map((sentence, i) => html`<dt>${i === 0 ? "protocol" : ""}</dt><dd>${sentence}</dd>`)}
<dt>metrics</dt><dd>${metrics.map(({ title: name, meaning }) => html`${name}: ${meaning}<br>`)}</dd>
<dt>workers</dt><dd>${workers.join(", ")}</dd>
<dt>refused</dt><dd>${refused.length === 0 ? "nobody" : refused.map(({ router, reason }) => html`${router}: ${reason}<br>`)}</dd>
<dt>intervals</dt><dd>95 %, bootstrap over tasks (within each set) with 400 resamples, seed ${seed}</dd>
</dl>`,
  );
}

const [WIDTH, HEIGHT, LEFT, TOP] = [940, 420, 52, 16];
const [RIGHT, BOTTOM] = [WIDTH - 170, HEIGHT - 40];
const LINE_HEIGHT = 15;

function drawCurves(rows: readonly ProtocolRow[]): Drawing {
  const x = linearScale([0, 1], [LEFT, RIGHT]);
  const highest = Math.max(1, ...rows.flatMap(({ curve = [] }) => curve.map(({ recovered }) => recovered)));
  const y = linearScale([0, highest], [BOTTOM, TOP]);
  const shapes: Shape[] = [];
  for (let tick = 0; tick <= 10; tick += 2) {
    const share = tick / 10;
    shapes.push(line("grid", LEFT, y(share), RIGHT, y(share)));
    shapes.push(text("tick", LEFT - 6, y(share) + 4, `${tick * 10}`, "end"));
    shapes.push(text("tick", x(share), BOTTOM + 16, `${tick * 10} %`, "middle"));
  }
  shapes.push(text("tick", (LEFT + RIGHT) / 2, HEIGHT - 6, "share of calls to the strong model", "middle"));
  shapes.push(line("grid", x(0), y(0), x(1), y(1)));
  for (const [number, { router, curve = [] }] of rows.entries()) {
    const points = curve.map(({ calls, recovered }) => `${x(calls).toFixed(1)} ${y(recovered).toFixed(1)}`);
    shapes.push(path("mean", `M${points.join(" L")}`, colourOf(number), router));
    for (const { calls, recovered } of curve)
      shapes.push(
        inColour(
          colourOf(number),
          circle(
            "mark best",
            x(calls),
            y(recovered),
            2.5,
            `${router}: ${(recovered * 100).toFixed(0)} % at ${(calls * 100).toFixed(0)} %`,
          ),
        ),
      );
    const top = TOP + 12 + number * LINE_HEIGHT;
    shapes.push(path("mean", `M${RIGHT + 12} ${top - 4} h18`, colourOf(number)));
    shapes.push(text("label", RIGHT + 36, top, router, "start"));
  }
  return { width: WIDTH, height: HEIGHT, label: "Gap recovered by share of strong calls", shapes };
}
