// A provider, or somebody between, tells the key it was given: in errors, headers, replies, streams and redirects. Then
// everything that people or programs can read is searched for it, plain, percent-encoded and in base64.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { parse, repeat } from "./tools/http.mjs";
import { runCommand } from "./tools/processes.mjs";
import { openStage, PROVIDER_SECRET, question } from "./tools/stage.mjs";

const REQUESTS = 300;
const MODELS = [
  "fake/echo",
  "fake/echo-error",
  "fake/html",
  "fake/redirect",
  "fake/refuse",
  "claude/echo",
  "claude/echo-error",
  "claude/redirect",
];
const PATHS = ["/v1/chat/completions", "/v1/messages", "/v1/responses"];

export default {
  name: "leaks",
  what: "find a provider's or a gateway's key in what can be read",
  tries: REQUESTS,
  run,
};

async function run() {
  const stolen = [];
  const thief = createServer((request, response) => {
    stolen.push(JSON.stringify(request.headers));
    response.end("{}");
  });
  await new Promise((done) => thief.listen(0, "127.0.0.1", done));
  const stage = await openStage({ env: { ATTACK_REDIRECT_TO: `127.0.0.1:${thief.address().port}` } });
  const { secret } = await stage.createKey({ name: "mallory", isAdmin: true });
  /** Where → what could be read there. */
  const texts = new Map();
  const add = (where, text) => texts.set(where, `${texts.get(where) ?? ""}\n${text}`);
  await repeat(REQUESTS, 6, async (i) => {
    const model = MODELS[i % MODELS.length];
    const path = PATHS[Math.floor(i / MODELS.length) % PATHS.length];
    const isTeam = i % 5 === 0;
    const text = question("mallory", `Question ${i}`);
    const said = path === "/v1/responses" ? { input: text } : { messages: [{ role: "user", content: text }] };
    const named = isTeam ? { model: "tutti-fast", tutti: { pool: model } } : { model };
    const headers = i % 4 === 0 ? { "x-tutti-content": "keep" } : {};
    const body = {
      ...named,
      ...said,
      stream: i % 2 === 0,
      max_tokens: path === "/v1/responses" ? undefined : 100,
    };
    const reply = await stage.ask(path, { key: secret, body, headers });
    add(`replies of ${path} (${isTeam ? "team" : model})`, `${JSON.stringify(reply.headers)}\n${reply.text}`);
  });
  await stage.settle();
  await readEverything(stage, add);
  const sent = (await stage.provider.headers()).join("\n");
  await stage.close();
  thief.close();
  const { stdout, stderr } = stage.gateway.output;
  add("the log", stdout);
  add("standard error", stderr);
  readFolder(stage.home, add);
  const found = [...texts].flatMap(([where, text]) =>
    formsFoundIn(text, PROVIDER_SECRET).map((form) => `the provider's key, ${form}, in ${where}`),
  );
  const own = [...texts, ["what the provider got", sent]].flatMap(([where, text]) =>
    formsFoundIn(text, secret).map((form) => `a gateway's key, ${form}, in ${where}`),
  );
  const problems = [...found, ...own];
  if (stolen.some((headers) => formsFoundIn(headers, PROVIDER_SECRET).length > 0))
    problems.push("the provider's key went to where a redirect pointed");
  else if (stolen.length > 0) problems.push(`${stolen.length} redirects were followed`);
  return {
    tries: REQUESTS,
    ok: problems.length === 0,
    result: `${problems.length} leaks in ${texts.size} places${problems.length > 0 ? `; first: ${problems[0]}` : ""}`,
    details: { problems },
  };
}

/** What the gateway and the command tell about the runs. */
async function readEverything(stage, add) {
  for (const path of [
    "/metrics",
    "/v1/usage?group=model,user,key",
    "/v1/pool",
    "/v1/models",
    "/v1/keys",
    "/v1/runs?limit=500",
  ])
    add(path, (await stage.ask(path)).text);
  const runs = parse((await stage.ask("/v1/runs?limit=500")).text)?.data ?? [];
  await repeat(runs.length, 4, async (i) => {
    for (const part of ["", "/messages", "/events"])
      add(`/v1/runs/ID${part}`, (await stage.ask(`/v1/runs/${runs[i].id}${part}`)).text);
  });
  const command = async (...words) => {
    const { stdout, stderr } = await runCommand([...words, "--config", stage.file], {
      home: stage.home,
      env: stage.secrets,
    });
    add(`tutti ${words[0]} ${words[1] ?? ""}`.trim(), `${stdout}\n${stderr}`);
  };
  await command("runs");
  await command("pool", "--json");
  await command("keys", "list", "--json");
  for (const { id } of runs.filter((_, i) => i % 40 === 0)) {
    await command("runs", "show", id);
    await command("runs", "show", id, "--json");
  }
}

/** Every file of the gateway's own, as bytes. The config names the variable only, so it is among them. */
function readFolder(folder, add) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name);
    if (statSync(file).isFile()) add(`the file ${name}`, readFileSync(file).toString("latin1"));
  }
}

/** The forms of a secret that are in a text. Base64 of it amid other bytes has three beginnings. */
function formsFoundIn(text, secret) {
  const percent = encodeURIComponent(secret);
  const cores = [0, 1, 2].map((before) => {
    const encoded = Buffer.from("_".repeat(before) + secret).toString("base64");
    return encoded.slice(before === 0 ? 0 : 4, -4);
  });
  const forms = {
    plain: [secret, JSON.stringify(secret).slice(1, -1)],
    percent: [percent, percent.toLowerCase()],
    base64: [...cores, ...cores.map((core) => core.replaceAll("+", "-").replaceAll("/", "_"))],
  };
  return Object.keys(forms).filter((form) => forms[form].some((each) => text.includes(each)));
}
