// A workflow as a drawing: one row a step, one column a wave, and a line from each reply to the steps that
// may see it. Only one box stands in a row and a step sees earlier steps only, so a line runs right along
// its own row, then down just before the column of whoever sees it, and never through a box. Pure.

import type { Workflow } from "../../workflow/types.ts";
import { toPositions, toWaves } from "../../workflow/waves.ts";
import { createCanvas } from "./canvas.ts";
import { PLAIN, type Style } from "./style.ts";
import { cut, padEnd, widthOf } from "./text-width.ts";

export interface DrawOptions {
  /** The name of a worker by its number in the pool. */
  nameOf: (worker: number) => string;
  width: number;
  style?: Style;
}

/** A line down before a column: from the replies of `sources` to the steps `targets`, which see the same. */
interface Track {
  wave: number;
  sources: number[];
  targets: number[];
  x: number;
}

interface Layout {
  labels: string[];
  waves: number[];
  tracks: Track[];
  /** Left edge and width of the boxes of each wave. */
  columns: { x: number; width: number }[];
}

const ANSWER = "▶ answer";
/** More steps than this get rows of one line instead of boxes of three. */
const MOST_BOXES = 6;

/** Lines of at most `width` columns; a list in words where that is too narrow for a drawing. */
export function drawWorkflow(workflow: Workflow, options: DrawOptions): string[] {
  if (workflow.steps.length === 0) return [];
  const layout = toLayout(workflow, options);
  return layout ? paint(workflow, layout, options.style ?? PLAIN) : toList(workflow, options);
}

/** The positions a step sees among those of its own round. */
export function sourcesOf(workflow: Workflow, step: number): number[] {
  const { access } = workflow.steps[step]!;
  return [...new Set(toPositions(access, step))].sort((a, b) => a - b);
}

function toList(workflow: Workflow, { nameOf, width }: DrawOptions): string[] {
  return workflow.steps.map(({ worker }, step) => {
    const sources = sourcesOf(workflow, step).map((source) => source + 1);
    const seen = sources.length > 0 ? ` ← ${sources.join(" ")}` : "";
    return cut(`${step + 1} ${nameOf(worker)}${seen}`, width);
  });
}

function toLayout(workflow: Workflow, { nameOf, width }: DrawOptions): Layout | undefined {
  const waves: number[] = [];
  for (const [wave, steps] of toWaves(workflow).entries()) for (const step of steps) waves[step] = wave;
  const tracks = toTracks(workflow, waves);
  const count = Math.max(...waves) + 1;
  const gutters = Array.from({ length: count }, (_, wave) => {
    const here = tracks.filter((track) => track.wave === wave).length;
    return here > 0 ? 2 * here + 2 : wave > 0 ? 2 : 0;
  });
  const frame = 4;
  const forNames =
    width - gutters.reduce((sum, gutter) => sum + gutter, 0) - count * frame - widthOf(ANSWER) - 1;

  // Names lose their provider first, then their ends: the steps are listed in full beside a drawing.
  const full = workflow.steps.map(({ worker }, step) => `${step + 1} ${nameOf(worker)}`);
  const short = workflow.steps.map(({ worker }, step) => `${step + 1} ${nameOf(worker).split("/").at(-1)}`);
  const widest = (labels: string[], wave: number) =>
    Math.max(...labels.filter((_, step) => waves[step] === wave).map(widthOf));
  const sumOf = (labels: string[]) => gutters.reduce((sum, _, wave) => sum + widest(labels, wave), 0);
  let labels = sumOf(full) <= forNames ? full : short;
  for (let longest = 40; sumOf(labels) > forNames; longest--) {
    if (longest < 4) return undefined;
    labels = labels.map((label) => cut(label, longest));
  }

  const columns: Layout["columns"] = [];
  let x = 0;
  for (const [wave, gutter] of gutters.entries()) {
    for (const [i, track] of tracks.filter((candidate) => candidate.wave === wave).entries())
      track.x = x + 1 + 2 * i;
    columns.push({ x: x + gutter, width: widest(labels, wave) + frame });
    x += gutter + widest(labels, wave) + frame;
  }
  return { labels, waves, tracks, columns };
}

/** Steps of a wave that see the same share a track. Lower ones stand further left, so that fewer lines cross. */
function toTracks(workflow: Workflow, waves: readonly number[]): Track[] {
  const byKey = new Map<string, Track>();
  for (const [step, wave] of waves.entries()) {
    const sources = sourcesOf(workflow, step);
    if (sources.length === 0) continue;
    const key = `${wave}:${sources.join()}`;
    const track = byKey.get(key) ?? { wave, sources, targets: [], x: 0 };
    track.targets.push(step);
    byKey.set(key, track);
  }
  return [...byKey.values()].sort((a, b) => b.targets.at(-1)! - a.targets.at(-1)!);
}

function paint(workflow: Workflow, { labels, waves, tracks, columns }: Layout, style: Style): string[] {
  const height = workflow.steps.length > MOST_BOXES ? 1 : 3;
  const middle = (step: number) => step * height + (height === 3 ? 1 : 0);
  const last = workflow.steps.length - 1;
  const canvas = createCanvas(workflow.steps.length * height);

  for (const track of tracks) {
    const [top, bottom] = [middle(track.sources[0]!), middle(track.targets.at(-1)!)];
    for (let y = top; y < bottom; y++) canvas.down(track.x, y);
  }
  const isTrackOfOthers = (x: number, step: number, isOwn: (track: Track) => boolean) =>
    tracks.some(
      (track) =>
        track.x === x &&
        !isOwn(track) &&
        middle(track.sources[0]!) <= middle(step) &&
        middle(step) <= middle(track.targets.at(-1)!),
    );
  for (let step = 0; step <= last; step++) {
    const y = middle(step);
    const { x, width } = columns[waves[step]!]!;
    const outgoing = tracks.filter((track) => track.sources.includes(step));
    const incoming = tracks.find((track) => track.targets.includes(step));
    // A line that passes a track it does not belong to goes under it: the track stays whole.
    if (outgoing.length > 0) {
      const to = Math.max(...outgoing.map((track) => track.x));
      canvas.across(x + width - 1, to, y, (at) =>
        isTrackOfOthers(at, step, (track) => outgoing.includes(track)),
      );
    }
    if (incoming) {
      canvas.across(incoming.x, x - 1, y, (at) => isTrackOfOthers(at, step, (track) => track === incoming));
      canvas.put(x - 1, y, "▶", style.dim);
    }
    const worker = workflow.steps[step]!.worker;
    const label = padEnd(labels[step]!, width - 4);
    canvas.put(x + 2, y, label, (text) => style.bold(style.worker(worker, text)), width - 4);
    if (height === 3) canvas.box(x, y - 1, width, outgoing.length > 0);
    else canvas.put(x, y, "[", style.dim).put(x + width - 1, y, "]", style.dim);
    if (step === last) canvas.put(x + width + 1, y, ANSWER, style.dim);
  }
  return canvas.toLines(style);
}
