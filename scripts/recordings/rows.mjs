// Sources without a layout of their own in `tutti record import`, brought to one row per question and model: what
// `--format table` reads. Each is a generator over the folder with the source's files, as their makers lay them out.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "csv-parse/sync";

/** All files below a folder whose path matches, in a stable order. */
function filesBelow(folder, pattern) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => pattern.test(path))
    .sort()
    .map((path) => join(folder, path));
}

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const readLines = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

/** A CSV per subject of MMLU: the prompt, and a column per model that is true or false. */
export function* routellm(folder) {
  for (const file of filesBelow(folder, /evals\/mmlu\/responses\/mmlu_.*\.csv$/)) {
    const subject = basename(file, ".csv").replace(/^mmlu_/, "");
    const table = parse(readFileSync(file, "utf8"), { columns: true, bom: true, relax_column_count: true });
    for (const [number, { prompt, ...columns }] of table.entries())
      for (const [model, value] of Object.entries(columns))
        if (/^(true|false)$/i.test(value))
          yield {
            ...{ id: `mmlu/${subject}/${number}`, category: subject, subtask: subject, prompt, model },
            score: Number(/^true$/i.test(value)),
          };
  }
}

/** Attempts that were counted; elsewhere the score is the probability of the right choice, and 0 where another was chosen. */
const COUNTED = /gsm8k|humaneval|mbpp|javascript/;

/** A JSON file per set: `{ question, scores: { model: score } }`. */
export function* routerdc(folder) {
  for (const file of filesBelow(folder, /split2_model7\/[^/]+\.json$/)) {
    const name = basename(file, ".json");
    const category = name.replace(/[-_](train|test)$/, "");
    const split = /[-_]train$/.test(name) ? "train" : "test";
    for (const [number, { question, scores }] of readJson(file).entries())
      for (const [model, score] of Object.entries(scores))
        yield {
          ...{ id: `${name}/${number}`, category, subtask: category, split, prompt: question },
          ...{ model: basename(model).toLowerCase(), score: COUNTED.test(name) ? score : Number(score > 0) },
        };
  }
}

/** A JSONL file per model with the evaluated score and the dollars of each call. */
export function* routerarena(folder) {
  for (const file of filesBelow(folder, /cached_results\/[^/]+\.jsonl$/))
    for (const row of readLines(file)) {
      const { score, inference_cost: cost, ground_truth: answer } = row.evaluation_result ?? {};
      if (typeof score !== "number") continue;
      const category = row.global_index.replace(/_\d+$/, "");
      yield {
        ...{
          id: row.global_index,
          category,
          subtask: category,
          prompt: row.question,
          model: row.llm_selected,
        },
        ...{ score, cost, answer: String(answer ?? ""), reply: row.generated_answer },
        inputTokens: row.token_usage?.input_tokens,
        outputTokens: row.token_usage?.output_tokens,
      };
    }
}

/** Results of one agent with each model, resolved or not and at what cost; the texts are in the set itself. */
export function* sweVerified(folder, { texts }) {
  const boards = readJson(filesBelow(folder, /data\/leaderboards\.json$/)[0]).leaderboards;
  for (const { name: board, results } of boards) {
    if (!/^(bash-only|verified)$/i.test(board)) continue;
    for (const { name, folder: run, per_instance_details: details } of results) {
      if (!details || !/mini/.test(run ?? "")) continue;
      for (const [id, { resolved, cost }] of Object.entries(details)) {
        const category = id.replace(/-\d+$/, "").replace("__", "/");
        const prompt = texts.get(id);
        if (prompt !== undefined && cost !== undefined)
          yield { id, category, subtask: category, prompt, model: name, score: Number(resolved), cost };
      }
    }
  }
}

/** Replies with the letter that was read from them: files of a model in a folder or an archive that is called after it. */
export function* mmluPro(folder) {
  for (const file of filesBelow(folder, /eval_results\/.*\.json$/)) {
    if (/summary|\/merged\//.test(file)) continue;
    const rows = readJson(file);
    const from = /model_outputs_(.+?)_5shots/.exec(file)?.[1] ?? basename(dirname(file));
    if (!Array.isArray(rows) || from === "eval_results") continue;
    for (const { question_id: id, question, options, answer, pred, category, src } of rows) {
      const choices = options.map((text, n) => `${String.fromCharCode(65 + n)}. ${text}`).join("\n");
      yield {
        ...{ id: String(id), category, subtask: src, prompt: `${question}\n${choices}`, model: from },
        ...{ answer, given: pred ?? "", score: Number(pred === answer) },
      };
    }
  }
}
