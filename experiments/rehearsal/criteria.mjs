// What must be shown, each with its figure. The worst training seed decides, and a difference counts only
// where its interval leaves out 0. Part of experiments/rehearsal.mjs.

import { difference, heading, percent, points, two } from "./print.mjs";

export function toChecklist({ comparison, calls, unseen, rounds, words, liars }) {
  const checks = [
    ...(comparison ? ofComparison(comparison) : []),
    ...(calls ? ofCalls(calls) : []),
    ...(unseen ? ofUnseen(unseen) : []),
    ...(rounds?.seeds.length > 0 ? ofRounds(rounds) : []),
    ...(words ? ofWords(words) : []),
    ...(liars ? ofLiars(liars) : []),
  ];
  const line = ([isMet, what, figure]) => `- [${isMet ? "x" : " "}] ${what}: ${figure}`;
  return [
    ...heading("What must be shown, at the worst training seed"),
    "Ticked only where the interval of a difference leaves out 0; what is not ticked was not shown.",
    "",
    ...checks.map(line),
    "",
  ];
}

function ofComparison({ seeds, overSeeds }) {
  const worst = (id) => seeds.map(({ against }) => against[id]).reduce((a, b) => (a.mean < b.mean ? a : b));
  const beats = (id, what) => [worst(id).low > 0, `better than ${what}`, `${difference(worst(id))} points`];
  const bits = overSeeds.routingEntropy.worst;
  return [
    beats("singles", "every single worker"),
    beats("lookup-category", "the lookup table by category"),
    beats("lookup-subtask", "the lookup table by family"),
    beats("mixture-of-agents", "Mixture-of-Agents"),
    [
      overSeeds.moaCallsOverOwn.worst >= 2,
      "at most half of its calls",
      `${two(overSeeds.moaCallsOverOwn.worst)} times fewer`,
    ],
    [bits > 1, "routing does not collapse (more than 1 bit)", `${two(bits)} bits`],
  ];
}

function ofCalls({ overSeeds: { easy, hard } }) {
  return [
    [
      easy.worst >= 1 && easy.worst <= 1.5,
      "easy questions take 1 to 1.5 calls (with the cost term)",
      two(easy.worst),
    ],
    [hard.worst >= 3, "hard ones take 3 or more (with the cost term)", two(hard.worst)],
  ];
}

function ofUnseen({ overSeeds: { kept, keptOfMet } }) {
  return [
    [
      keptOfMet.worst >= 0.9,
      "keeps 90 % of the gain that strangers bring whom it has met (no interval)",
      `${percent(keptOfMet.worst)} %`,
    ],
    [
      kept.worst >= 0.9,
      "keeps 90 % of the gain with workers never seen (no interval)",
      `${percent(kept.worst)} %`,
    ],
  ];
}

function ofRounds({ seeds }) {
  const net = ({ mended, spoiled }) => mended - spoiled;
  const worst = seeds.map(({ depths }) => depths[1]).reduce((a, b) => (net(a) < net(b) ? a : b));
  const { mended, spoiled, difference: gain } = worst;
  const figure = `${mended} mended, ${spoiled} spoiled, ${difference(gain)} points`;
  return [[gain.low > 0, "a second round mends more than it spoils", figure]];
}

function ofWords({ seeds }) {
  const worst = seeds.map(({ shuffled }) => shuffled).reduce((a, b) => (a.mean > b.mean ? a : b));
  return [[worst.high < 0, "shuffled subtasks lower accuracy", `${difference(worst)} points`]];
}

function ofLiars({ one, two: pairs }) {
  return [
    ["one liar", one],
    ["two liars", pairs],
  ].flatMap(([who, list]) =>
    list.flatMap(({ name, against }) =>
      Object.entries(against).map(([id, { mean, low, high }]) => [
        ...[high < 0, `${name}: with ${who} loses less than ${id}`],
        `${points(mean)} points (${points(low)} … ${points(high)})`,
      ]),
    ),
  );
}
