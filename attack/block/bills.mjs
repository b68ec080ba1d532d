// Bills, searches and tables over a hundred thousand runs, as fast as one key can ask for them.
import { firstKeyId } from "./stage/keys.mjs";
import { seedRuns } from "./stage/seed.mjs";
import { createAttack, repeat, send } from "./stage/stage.mjs";

const PATHS = [
  "/v1/usage?group=metadata.job,metadata.team,user,model,day",
  "/v1/runs?search=nothing+has+this&limit=500",
  "/v1/pool/days?hours=8000",
  "/v1/usage?group=user,day&format=csv",
  "/v1/pool?hours=8000",
  "/v1/runs?model=none&nested=true",
];

export default createAttack({
  name: "bills and searches over 100,000 runs",
  tries: 400,
  prepare: (home, store) => seedRuns(home, store, { keyId: firstKeyId(home), count: 100_000 }),
  attack: (target) =>
    repeat(target, { count: 400, atOnce: 16 }, (i) => send(target, PATHS[i % PATHS.length])),
});
