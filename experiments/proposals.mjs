// What each edit by rule is worth where an instruction stands in a hand-made plan: one solves, another one checks by
// reading through. Simulated, on training questions; says what a training with --propose could find, and what it could not.
// npm run build && node experiments/proposals.mjs [--parent check-read] [--questions 200]

import { setMaxListeners } from "node:events";
import { parseArgs } from "node:util";
import { createRandom, hashSeed } from "../dist/base/random.js";
import { Language, toLiterals } from "../dist/conductor/native/language.js";
import { toWording } from "../dist/conductor/native/reading.js";
import { loadRepertoire } from "../dist/instruction/repertoire.js";
import { toTries } from "../dist/learn/grpo.js";
import { toProposal } from "../dist/learn/native/propose/adopt.js";
import { comparePlans, toGain } from "../dist/learn/native/propose/compete.js";
import { editsOf } from "../dist/learn/native/propose/edits.js";
import { tryPlans } from "../dist/learn/native/propose/failures.js";
import { toPrompt } from "../dist/learn/native/stage.js";
import { performAsked } from "../dist/learn/perform.js";
import { trainTokenizer } from "../dist/nn/tokenizer.js";
import { isModel, strongestForQuestion } from "../dist/worker/kinds.js";
import { createRehearsalWorld } from "../dist/world/rehearsal.js";

const { parent: parentId = "check-read", questions = "200" } = parseArgs({
  options: { parent: { type: "string" }, questions: { type: "string" } },
}).values;
const SEED = 11;
const TRIES = 8;
const { signal } = new AbortController();
setMaxListeners(0, signal);

const world = createRehearsalWorld({ seed: SEED, pools: "fixed", calibrationTasks: 60, validation: 1 });
const repertoire = loadRepertoire();
const tokenizer = trainTokenizer(world.texts().slice(0, 200), {
  size: 1280,
  literals: toLiterals(repertoire),
});
const language = new Language(tokenizer, repertoire);
const find = (id) => repertoire.instructions.find((each) => each.id === id);
const [solve, parent] = [find("solve-steps"), find(parentId)];

/** Works and parts as they come first: those that a question has most cues for, and what it asks. */
function toPlan(question) {
  const prompt = toPrompt({ language }, question, { size: 2 });
  const { workers, sayable } = prompt.reading;
  const able = strongestForQuestion(question.pool.members).filter((number) =>
    isModel(question.pool.members[number].worker),
  );
  const fillings = { work: [...sayable.works][0], part: workers.length, form: repertoire.forms[0] };
  const toStep = (number, instruction, access) => ({
    ...{ worker: workers.indexOf(number), access },
    saying: language.toSayingTokens(instruction, fillings),
  });
  const tokens = language.toTokens([toStep(able[0], solve, []), toStep(able[1], parent, [0])]);
  const plan = { tokens, text: language.toText(tokens, toWording(prompt.reading, question.pool)) };
  return { prompt, plan, told: [solve, parent] };
}

const context = { policy: { language }, world, signal };
const written = Array.from({ length: Number(questions) }, (_, i) =>
  toPlan(world.sample(hashSeed("proposals", i))),
);
const tries = written.map(({ prompt }, i) => toTries(world, prompt.question, hashSeed(SEED, i), i, TRIES));
const tried = await performAsked(tryPlans(written, tries), world, signal);
const points = (share) => (share * 100).toFixed(1);
console.log(
  `Simulated. Parent: ${parent.id}. Gains in points, 95 %, ${questions} questions, ${TRIES} tries each.`,
);
console.log("| edit | gain | 95 % |\n| --- | --- | --- |");
for (const { name, text } of editsOf(parent, createRandom(SEED))) {
  const proposal = toProposal(parent, { text: { en: text }, by: name }, repertoire);
  const { pairs } = await performAsked(comparePlans(tried, { parent, proposal }, context), world, signal);
  const { mean, low, high } = toGain(pairs, SEED);
  console.log(`| ${name} | ${points(mean)} | ${points(low)} … ${points(high)} |`);
}
