// Somebody with five providers: here they are played on the loopback, one of them out of order.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROVIDERS } from "./providers.mjs";

export function fiveKeys(folder, port) {
  const workers = PROVIDERS.map((name) => ({
    ...{ id: `${name}/model`, model: `${name}/model`, baseUrl: `http://127.0.0.1:${port}/${name}/v1` },
    price: { inputUsd: 1, outputUsd: 2 },
  }));
  const config = "five.config.json";
  writeFileSync(join(folder, config), JSON.stringify({ workers, conductor: "good/model" }));
  return {
    name: "five providers",
    steps: [
      {
        run: `npx tutti pool --config ${config}`,
        says: PROVIDERS.map((name) => new RegExp(`${name}/model`)),
      },
      {
        run: `npx tutti pool check --config ${config}`,
        exit: 1,
        says: [/good\/model/, /failing\/model +✗ failed/],
      },
      {
        run: `npx tutti ask --config ${config} "Use arithmetic: what is 17 plus 25? Work it out, then have it checked by another model."`,
        says: [/42/, /\$0\.\d+/],
        never: [/simulated/i],
      },
      {
        run: `npx tutti ask --config ${config} --pool failing/model --conductor failing/model "What is 17 plus 25?"`,
        exit: 1,
        says: [/out of order|500/],
        never: [/simulated/i],
      },
    ],
  };
}
