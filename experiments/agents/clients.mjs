// The agents: which package at which version, how each is told where the gateway is, and how it is asked once. All of
// them report to nobody, update nothing, and have a home of their own that is thrown away.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEY = "none";

/**
 * `dialect`: what it speaks. `prepare(place)` writes its settings; `place` is `{ home, folder, url, model }`.
 * `command(place)`: arguments behind the program's name, and variables.
 */
export const CLIENTS = {
  codex: {
    title: "Codex",
    dialect: "responses",
    package: "@openai/codex",
    version: "0.169.0",
    program: "codex",
    prepare({ home, url, model }) {
      write(
        join(home, ".codex", "config.toml"),
        `model = "${model}"
model_provider = "tutti"
check_for_update_on_startup = false
[model_providers.tutti]
name = "Tutti"
base_url = "${url}/v1"
env_key = "TUTTI_KEY"
wire_api = "responses"
[analytics]
enabled = false
[feedback]
enabled = false
`,
      );
    },
    // The workspace is a folder that is thrown away, and its own sandbox needs rights that a container lacks.
    command: ({ task, home }) => ({
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
      env: { TUTTI_KEY: KEY, CODEX_HOME: join(home, ".codex") },
    }),
  },
  claude: {
    title: "Claude Code",
    dialect: "messages",
    package: "@anthropic-ai/claude-code",
    version: "2.1.197",
    program: "claude",
    prepare: () => {},
    command: ({ task, url, model }) => ({
      args: ["-p", task, "--model", model, "--allowedTools", "Bash", "Read", "Edit"],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    }),
  },
  opencode: {
    title: "opencode",
    dialect: "chat",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    prepare({ folder, url, model }) {
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "Tutti",
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: { [model]: { name: model } },
      };
      const permission = { edit: "allow", bash: "allow" };
      const settings = { autoupdate: false, share: "disabled", permission, provider: { tutti: provider } };
      write(join(folder, "opencode.json"), JSON.stringify(settings));
    },
    command: ({ task, model }) => ({
      args: ["run", "--model", `tutti/${model}`, task],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      },
    }),
  },
  qwen: {
    title: "Qwen Code",
    dialect: "chat",
    package: "@qwen-code/qwen-code",
    version: "0.15.10",
    program: "qwen",
    prepare({ home }) {
      const settings = {
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      };
      write(join(home, ".qwen", "settings.json"), JSON.stringify(settings));
    },
    command: ({ task, url, model }) => ({
      args: ["--yolo", "--auth-type", "openai", "--model", model, "--prompt", task],
      // It sends loopback through a proxy too, whatever NO_PROXY says.
      env: {
        ...{ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model },
        ...{ HTTP_PROXY: "", HTTPS_PROXY: "" },
      },
    }),
  },
};

function write(path, text) {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}
