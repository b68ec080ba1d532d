// The figures as Markdown, for people. Part of experiments/recordings.mjs.

const percent = (share) => (100 * share).toFixed(1);
const points = (share) => `${share >= 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(1)}`;
const two = (value) => value.toFixed(2);
const interval = ({ low, high }) => `${percent(low)} … ${percent(high)}`;
const difference = ({ mean, low, high, p }) =>
  `${points(mean)} (${points(low)} … ${points(high)}; p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`})`;

function table(titles, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map((_, i) => (i === 0 ? "---" : "--:"))), ...rows.map(line), ""];
}

export function toMarkdown(figures) {
  return `${[
    ...head(figures),
    ...figures.sets.flatMap((set) => setLines(set)),
    ...togetherLines(figures),
    ...criteriaLines(figures),
    ...gainLines(figures),
  ].join("\n")}\n`;
}

function head({ checkpoints, split, splitSeed, sets, limit }) {
  const unseen = sets.filter(({ isTrainedOn }) => !isTrainedOn).map(({ set }) => set);
  const lines = [
    `# Recordings of real models, split by ${split} (seed ${splitSeed})`,
    "",
    "The trained Conductor reads the question and the profiles only, writes greedily and without a mask; a plan that is no workflow counts as wrong. Lookup tables are given the true label. Replies are replayed; hand-offs between workers cannot be.",
    "",
    `Trained on, by their train split: ${sets
      .filter(({ isTrainedOn }) => isTrainedOn)
      .map(({ set }) => set)
      .join(", ")}. Measured on their test splits.`,
    `**Nothing of zeroeval was trained on**: on ${unseen.join(" and ")} (without the o1 models) only profiles and baselines are fitted, on four fifths of the set for the tasks of the other fifth, five times.`,
    "",
    ...checkpoints.map(
      ({ folder, world, seed, iterations, rounds, width, layers, command }) =>
        `- ${folder}: trained on ${world}, seed ${seed}, ${iterations} iterations, width ${width} × ${layers} layers, ${rounds === 1 ? "one round" : `${rounds} rounds`}. Command: \`${command}\``,
    ),
    "",
  ];
  for (const { folder, isSimulated, hasSeen } of checkpoints) {
    if (isSimulated) lines.push(`**${folder} was trained in a simulation, not on these recordings.**`, "");
    if (hasSeen.length > 0)
      lines.push(
        `**${folder} was trained on ${hasSeen.join(", ")}: what is said of unseen sets does not hold.**`,
        "",
      );
  }
  for (const { folder, command } of checkpoints)
    if (command.includes("family") !== (split === "family"))
      lines.push(
        `**The command of ${folder} does not say that it was trained with a split by ${split}: test tasks may be among those it was trained on.**`,
        "",
      );
  if (limit) lines.push(`**Only ${limit} test tasks a set: a quick look, no result.**`, "");
  return lines;
}

function setLines({
  set,
  isTrainedOn,
  n,
  dropped,
  folds,
  fitted,
  workers,
  trained,
  worst,
  baselines,
  differences,
  shuffled,
}) {
  const fit =
    folds > 1 ? `${folds}-fold cross-fitted, ${fitted} tasks each` : `fitted on ${fitted} training tasks`;
  const row = (each) => [
    each.name,
    percent(each.accuracy),
    interval(each),
    two(each.calls),
    two(each.steps),
    percent(each.validShare),
    percent(each.accuracyIfValid),
    two(each.routingEntropy),
  ];
  const [first] = shuffled;
  return [
    `## ${set}${isTrainedOn ? "" : " (never trained on)"}`,
    "",
    `${n} test tasks, ${workers} workers, ${fit}${dropped > 0 ? `; ${dropped} tasks could not be graded for everybody and are left out` : ""}.`,
    "",
    ...table(
      ["", "accuracy %", "95 %", "calls", "steps", "valid %", "if valid %", "routing bits"],
      [...trained, ...baselines].map(row),
    ),
    ...(worst === undefined ? [] : [`Worst seed: ${percent(worst)}.`, ""]),
    ...table(
      ["points less", ...differences[0].against.map(({ name }) => name)],
      differences.map(({ variant, against }) => [variant, ...against.map(difference)]),
    ),
    `The pool in another order: ${difference(first.difference)}, the same workers asked on ${percent(first.sameTeams)} % of the tasks.`,
    "",
  ];
}

function togetherLines({ together, sets }) {
  const titles = { sets: "each set counts the same", tasks: "each task counts the same" };
  return [
    `## The ${sets.length} sets together`,
    "",
    ...Object.entries(titles).flatMap(([weigh, title]) => {
      const { trained, baselines } = together[weigh];
      return [
        `Mean where ${title}:`,
        "",
        ...table(
          ["", "accuracy %", "95 %", "calls"],
          [...trained, ...baselines].map(({ name, accuracy, calls }) => [
            name,
            percent(accuracy.mean),
            interval(accuracy),
            two(calls),
          ]),
        ),
        ...table(
          ["points less", ...trained[0].against.map(({ name }) => name)],
          trained.map(({ name, against }) => [name, ...against.map(difference)]),
        ),
      ];
    }),
  ];
}

function criteriaLines({ criteria }) {
  const [first, ...seeds] = criteria;
  return [
    "## Criteria",
    "",
    ...first.lines.map((line, i) => {
      const own = `- [${line.isMet ? "x" : " "}] ${line.criterion}: ${criterionFigures(line)}`;
      if (seeds.length === 0) return own;
      const met = seeds.filter(({ lines }) => lines[i].isMet).length;
      const worst = seeds.map(({ lines }) => lines[i]).reduce((a, b) => (goodness(b) < goodness(a) ? b : a));
      return `${own}; met by ${met} of ${seeds.length} seeds, the worst ${criterionFigures(worst)}`;
    }),
    "",
  ];
}

/** Of a criterion without a difference fewer calls are better. */
function goodness({ difference: found, calls }) {
  return found ? found.mean : -calls;
}

function criterionFigures({ difference: found, calls, theirCalls, isSignificantlyBelow }) {
  const parts = [];
  if (found) parts.push(difference(found));
  if (theirCalls !== undefined) parts.push(`${two(calls)} calls against ${two(theirCalls)}`);
  else if (calls !== undefined) parts.push(`${two(calls)} calls`);
  if (isSignificantlyBelow) parts.push("significantly below");
  return parts.join(", ");
}

function gainLines({ gains: { largest, smallest, bestTwo, without } }) {
  const row = ({ set, family, n, won }) => [`${set}: ${family}`, n, points(won / 100), points(won / n)];
  const titles = ["family", "tasks", "won less lost", "points there"];
  return [
    "## Gain per family over the best single worker",
    "",
    ...table(titles, largest.map(row)),
    ...table(titles, smallest.map(row)),
    ...table(
      [
        "",
        "tasks",
        "net gain in tasks",
        "in points",
        "of which the best two families",
        "share of the net gain",
        "share of all that was won",
      ],
      bestTwo.map(({ set, tasks, net, gross, best }) => [
        set,
        tasks,
        points(net / 100),
        points(net / tasks),
        points(best / 100),
        net > 0 ? `${Math.round((100 * best) / net)} %` : "there is no net gain",
        gross > 0 ? `${Math.round((100 * best) / gross)} %` : "–",
      ]),
    ),
    ...(without.length > 0 ? [`${without.join(" and ")}: one family only, so not in these tables.`, ""] : []),
  ];
}
