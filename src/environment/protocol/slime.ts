// slime's remote reward model: {"prompt", "response", "label"} → a bare number, or an object where slime is
// started with --reward-key, which has to be named in the URL too: /rl/slime?reward_key=score.

import { cleanCompletion } from "../completion.ts";
import { Float, toFloatJson, toFloatText } from "../float-json.ts";
import type { EngineProtocol } from "../types.ts";
import { toSummary } from "./plain.ts";
import { badRequest, nameOf, toFields } from "./read-body.ts";

export const slime: EngineProtocol = {
  engine: "slime",
  read(body) {
    const { response, label } = toFields(body);
    if (typeof response !== "string") throw badRequest(`"response" must be a text, not ${nameOf(response)}`);
    return [{ label, completion: cleanCompletion(response) }];
  },
  write([answer], wishes) {
    const key = wishes.get("reward_key");
    if (key === null) return toFloatText(answer!.reward);
    return toFloatJson({ ...toSummary(answer!), [key]: new Float(answer!.reward) });
  },
};
