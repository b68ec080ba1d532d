// Workers that were measured honest and lie on the test tasks (simulated): what that costs whom.
// Part of experiments/turns.mjs: node experiments/turns.mjs --only liars [--limit 300]

const KINDS = ["always", "random", "topic", "crafted"];
const WHO = [
  "trinity",
  "look-ahead",
  "native",
  "lookup-category",
  "lookup-subtask",
  "vote-3",
  "vote-5",
  "best-single",
];

/** Points lost by each, for one and two liars of seven, by kind of lie; means over the seeds. */
export function measureLiars(bench, { limit = "300", seeds = [0] }) {
  const rates = (liars, kind) => {
    const bySeed = seeds.map((seed) => {
      const lying = liars > 0 ? ["--liars", String(liars), "--liar-kind", kind] : [];
      const args = [
        "--rehearsal",
        "--limit",
        limit,
        "--seed",
        String(seed),
        "--conductor",
        WHO.join(","),
        ...lying,
      ];
      return bench(args);
    });
    return Object.fromEntries(
      WHO.map((id) => {
        const own = bySeed.map((results) => results.find(({ conductor }) => conductor === id));
        const mean = (value) => own.reduce((sum, each) => sum + value(each), 0) / own.length;
        return [id, { accuracy: mean(({ accuracy }) => accuracy), calls: mean(({ calls }) => calls) }];
      }),
    );
  };
  const honest = rates(0);
  const rows = [1, 2].flatMap((liars) => KINDS.map((kind) => ({ liars, kind, rates: rates(liars, kind) })));
  return { honest, rows };
}

export function toLiarsMarkdown({ honest, rows }) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const percent = (value) => (100 * value).toFixed(1);
  const lost = (id, now) =>
    `−${(100 * (honest[id].accuracy - now[id].accuracy)).toFixed(1)}`.replace("−-", "+");
  return [
    row(["liars, kind", ...WHO]),
    row(["---", ...WHO.map(() => "---:")]),
    row([
      "none (% @ calls)",
      ...WHO.map((id) => `${percent(honest[id].accuracy)} @ ${honest[id].calls.toFixed(2)}`),
    ]),
    ...rows.map(({ liars, kind, rates }) => row([`${liars}, ${kind}`, ...WHO.map((id) => lost(id, rates))])),
    "",
  ].join("\n");
}
