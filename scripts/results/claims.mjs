// What is claimed on README and docs, each with the command that measures it. `recorded/` stands for the folder of
// recordings (docs/recordings-from-public-sources.md); a new claim is a new entry here.

const ONE_CALL = "best-single,lookup-category,lookup-subtask,neighbours,router,oracle";
/** With a verifier that never errs (the recorded verdict itself), and simulated ones that do. */
const VERIFIED = "verified-cascade,verified-cascade@0.05,verified-cascade@0.1,verified-cascade@0.2";
const CURVES = "look-ahead,router,neighbours,lookup-category,verified-cascade,verified-cascade@0.05";

const set = (folder, options = "") => `tutti bench --recording recorded/${folder}${options}`;

export const CLAIMS = [
  {
    name: "routerdc",
    title: "RouterDC, in distribution",
    command: "tutti bench --protocol routerdc --recording recorded/routerdc",
    goals: [{ metric: "inside", atLeast: 0.6 }],
    note: "Published protocol: the source's train and test split, mean over five sets. HumanEval's 49 tasks weigh as much as MMLU's 4,213: one of them is 0.4 points of the mean. The 58.8 that the [experiment](experiments/recordings/probability.md) first gave `router` was fitted on all 5,935 training tasks, 19 of which the test asks word for word; without these the same code (de82c16) gave 58.1, as here at that time.",
  },
  {
    name: "routellm",
    title: "RouteLLM, MMLU",
    command: "tutti bench --protocol routellm --recording recorded/routellm",
    goals: [
      { metric: "apgr", atLeast: 0.68 },
      { metric: "cpt50", atMost: 0.26 },
    ],
    note: "Published protocol, cross-fitted in five parts: the anchors were trained on preferences from elsewhere.",
  },
  {
    name: "routerarena",
    title: "RouterArena, a tenth of its queries",
    command: "tutti bench --protocol routerarena --recording recorded/routerarena",
    note: "Nothing may be fitted on it, and no other recording holds both of its models: only rules that learn nothing can be measured.",
  },
  {
    name: "llmrouter",
    title: "LLMRouter, nine models",
    command: set("llmrouter", ` --conductor ${ONE_CALL}`),
    goals: [{ metric: "accuracy", atLeast: 0.645 }],
  },
  {
    name: "livecodebench",
    title: "LiveCodeBench, 29 models",
    command: set("livecodebench", ` --conductor ${ONE_CALL}`),
    goals: [{ metric: "accuracy", atLeast: 0.87 }],
  },
  {
    name: "routerbench",
    title: "RouterBench, real dollars",
    command: set("routerbench", ` --conductor ${ONE_CALL},trinity,${VERIFIED}`),
    front: `${set("routerbench").replace("bench", "bench front")} --conductor ${CURVES}`,
    goals: [{ sameQualityAtMost: 0.45 }],
    note: "A verifier of questions with two or four choices is close to the answer itself: its rows say more about that than about cascades.",
  },
  {
    name: "swe-verified",
    title: "SWE-bench Verified, real dollars of one agent",
    command: set("swe-verified", ` --conductor ${ONE_CALL},trinity,${VERIFIED}`),
    front: `${set("swe-verified").replace("bench", "bench front")} --conductor ${CURVES}`,
    goals: [{ sameQualityAtMost: 0.6 }, { row: "verified-cascade@0.05", sameQualityAtMost: 0.3 }],
    note: "These test tasks were measured more than once ([why](experiments/recordings/dollars.md)); nothing was chosen by them.",
  },
  {
    name: "rehearsal",
    title: "The rehearsal (simulated)",
    command:
      "tutti bench --rehearsal --conductor best-single,lookup-category,lookup-subtask,neighbours,router,vote-3,trinity,native,oracle",
    record: "tutti record rehearsal --pool rehearsal --limit 600 --out recorded/rehearsal",
    front:
      "tutti bench front --recording recorded/rehearsal --conductor look-ahead,router,neighbours,lookup-category",
    note: "Simulated tasks and workers: it shows the procedure and says nothing about real models.",
  },
  {
    name: "reasoning-gym",
    title: "Reasoning Gym, hard",
    command: set(
      "reasoning-gym",
      ` --set reasoning-gym-hard --conductor ${ONE_CALL},vote-3,neighbours-vote-3,native,trinity`,
    ),
    note: "More than one call: compare with the votes at as many calls, not with the best single worker alone.",
  },
  {
    name: "mmlu-pro",
    title: "MMLU-Pro, 31 models",
    command: set("mmlu-pro", ` --conductor ${ONE_CALL},vote-3,neighbours-vote-3,native,trinity`),
    note: "More than one call: compare with the votes at as many calls, not with the best single worker alone.",
  },
];
