// Where the public recordings come from: what to fetch, how it becomes what an import reads, and how it is imported. A new
// source is a new entry. `measureOnly`: nothing that was trained on it may be shipped.
import * as rows from "./rows.mjs";

const huggingFace = (dataset, ...files) => ({ kind: "hugging-face", dataset, files });
const gitHub = (repository) => ({ kind: "git", url: `https://github.com/${repository}` });

/**
 * `fetch`: what is downloaded into the source's folder. `prepare`: commands run there afterwards. `import`: what the import
 * reads of that folder, by a layout it knows; or `rows`: a generator of table rows (rows.mjs).
 */
export const SOURCES = {
  routerbench: {
    licence: "see its card; measure only where it is missing",
    fetch: [huggingFace("withmartian/routerbench", "routerbench_0shot.pkl")],
    // A pickle runs what its maker wrote.
    needsTrust: true,
    prepare: [
      [
        "python3",
        "-c",
        "import pandas, sys; pandas.read_pickle(sys.argv[1]).to_parquet(sys.argv[2])",
        "routerbench_0shot.pkl",
        "routerbench.parquet",
      ],
    ],
    import: { path: "routerbench.parquet", flags: ["--format", "routerbench"] },
  },
  llmrouterbench: {
    licence: "MIT",
    fetch: [huggingFace("NPULH/LLMRouterBench", "bench-release.tar.gz")],
    prepare: [["tar", "xzf", "bench-release.tar.gz"]],
    import: { path: "results/bench", flags: ["--format", "llmrouterbench"] },
  },
  sprout: {
    licence: "see its card",
    fetch: [huggingFace("CARROT-LLM-Routing/SPROUT", /\.parquet$/)],
    import: { path: ".", flags: ["--format", "sprout"] },
  },
  embedllm: {
    licence: "Apache-2.0",
    fetch: [huggingFace("RZ412/EmbedLLM", "train.csv", "test.csv", "question_order.csv", "model_order.csv")],
    import: { path: ".", flags: ["--format", "embedllm", "--duplicates", "first"] },
  },
  "helm-gsm": {
    licence: "Apache-2.0",
    fetch: [
      {
        kind: "google-storage",
        bucket: "crfm-helm-public",
        prefix: "lite/benchmark_output/runs/v1.0.0/gsm:",
        files: /\/(run_spec|scenario_state|per_instance_stats)\.json$/,
      },
    ],
    import: { path: ".", flags: ["--format", "helm"] },
  },
  routellm: {
    licence: "Apache-2.0",
    fetch: [gitHub("lm-sys/RouteLLM")],
    rows: rows.routellm,
    import: { flags: ["--set", "routellm-mmlu"] },
  },
  routerdc: {
    licence: "none",
    measureOnly: true,
    fetch: [gitHub("shuhao02/RouterDC")],
    rows: rows.routerdc,
    // The same question stands in several files.
    import: { flags: ["--set", "routerdc", "--duplicates", "first"] },
  },
  routerarena: {
    licence: "Apache-2.0",
    fetch: [gitHub("RouteWorks/RouterArena")],
    rows: rows.routerarena,
    // Some models were run more than once.
    import: { flags: ["--set", "routerarena", "--duplicates", "first"] },
  },
  "swe-verified": {
    licence: "CC BY-NC 4.0",
    measureOnly: true,
    fetch: [
      gitHub("SWE-bench/swe-bench.github.io"),
      huggingFace("princeton-nlp/SWE-bench_Verified", "data/test-00000-of-00001.parquet"),
    ],
    texts: { file: "data/test-00000-of-00001.parquet", id: "instance_id", text: "problem_statement" },
    rows: rows.sweVerified,
    import: { flags: ["--set", "swe-verified", "--duplicates", "first"] },
  },
  "mmlu-pro": {
    licence: "Apache-2.0",
    fetch: [gitHub("TIGER-AI-Lab/MMLU-Pro")],
    prepare: [
      ["find", ".", "-path", "*eval_results/*.zip", "-exec", "unzip", "-qo", "{}", "-d", "{}.d", ";"],
    ],
    rows: rows.mmluPro,
    import: { flags: ["--set", "mmlu-pro", "--duplicates", "first"] },
  },
};
