// Somebody with a task set of their own: record, headroom, bench, calibrate, ask.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const ROWS = Array.from({ length: 24 }, (_, i) => ({
  ...{ prompt: `What is ${i} plus ${42 - i}?`, answer: "42", category: i % 2 === 0 ? "even" : "odd" },
}));

/** After the walk with five providers, whose config it uses. */
export function ownTasks(folder) {
  writeFileSync(join(folder, "mine.jsonl"), `${ROWS.map((row) => JSON.stringify(row)).join("\n")}\n`);
  const pool = "--config five.config.json --pool good/model,slow/model,chatty/model";
  return {
    name: "tasks of one's own",
    steps: [
      {
        run: `npx tutti record mine.jsonl ${pool} --out recording --budget-usd 1 --yes`,
        says: [/recording/],
      },
      { run: "npx tutti bench headroom --recording recording", says: [/best-single/, /oracle/] },
      {
        run: "npx tutti bench --recording recording --conductor best-single,vote-3 --out benched",
        says: [/vote-3/],
      },
      {
        run: `npx tutti pool calibrate --tasks mine.jsonl ${pool} --yes --budget-usd 1`,
        says: [/good\/model/],
      },
      { run: `npx tutti ask ${pool} --quiet "What is 17 plus 25?"`, says: [/42/] },
    ],
  };
}
