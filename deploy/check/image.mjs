// A Dockerfile performed by hand: each stage is a folder that begins as a Debian made with debootstrap and this machine's Node,
// which is what the official image is. Knows the instructions that ours has, and says so of any other.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const SUITE = "bookworm";
const RUN_MS = 600_000;

export function readDockerfile(file) {
  const text = readFileSync(file, "utf8")
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n/g, " ");
  const instructions = text.split("\n").flatMap((line) => {
    const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return name ? [{ name, rest: rest.trim().replace(/\s+/g, " ") }] : [];
  });
  return { instructions, ignored: readIgnored(`${file}.dockerignore`) };
}

function readIgnored(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  return {
    kept: lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1)),
    left: lines.filter((line) => /^[^#!*]|^\*\*\//.test(line)),
  };
}

/** The last stage, and what is to be run in it. */
export function buildImage({ instructions, ignored }, { folder, context }) {
  const base = join(folder, "base");
  makeBase(base);
  const stages = {};
  let stage;
  for (const { name, rest } of instructions) {
    switch (name) {
      case "FROM": {
        const [, , alias = "last"] = rest.split(" ");
        stage = { root: join(folder, alias), env: {}, workdir: "/" };
        stages[alias] = stage;
        execFileSync("cp", ["-a", base, stage.root]);
        break;
      }
      case "ENV": {
        const [key, value] = rest.split("=");
        stage.env[key] = value;
        break;
      }
      case "WORKDIR":
        stage.workdir = rest;
        mkdirSync(join(stage.root, rest), { recursive: true });
        break;
      case "COPY":
        copy(rest.split(" "), { stage, stages, context, ignored });
        break;
      case "RUN":
        run(stage, rest);
        break;
      case "USER":
        stage.user = rest;
        break;
      case "HEALTHCHECK":
        stage.health = JSON.parse(rest.slice(rest.indexOf("[")));
        break;
      case "ENTRYPOINT":
      case "CMD":
        stage[name.toLowerCase()] = JSON.parse(rest);
        break;
      case "EXPOSE":
        stage.port = Number(rest);
        break;
      default:
        throw new Error(`This check does not know the instruction ${name}.`);
    }
  }
  return stage;
}

function makeBase(base) {
  const given = process.env.TUTTI_DEBIAN_ROOT;
  if (given) execFileSync("cp", ["-a", given, base]);
  else execFileSync("debootstrap", ["--variant=minbase", SUITE, base], { stdio: "pipe" });
  const npm = dirname(dirname(realpathSync(join(dirname(process.execPath), "npm"))));
  cpSync(process.execPath, join(base, "usr/local/bin/node"));
  cpSync(npm, join(base, "usr/local/lib/node_modules/npm"), { recursive: true });
  for (const name of ["npm", "npx"])
    execFileSync("ln", [
      "-s",
      `../lib/node_modules/npm/bin/${name}-cli.js`,
      join(base, "usr/local/bin", name),
    ]);
  // How this machine reaches its registry.
  for (const file of ["/etc/resolv.conf", "/etc/hosts", "/etc/ssl", "/root/.npmrc"])
    if (existsSync(file)) execFileSync("cp", ["-aL", file, join(base, dirname(file))]);
}

function copy(words, { stage, stages, context, ignored }) {
  const from = words[0].startsWith("--from=") ? words.shift().slice(7) : undefined;
  const to = words.pop();
  const target = join(stage.root, to.startsWith("/") ? to : join(stage.workdir, to));
  if (from) return void execFileSync("cp", ["-a", join(stages[from].root, words[0]), target]);
  const names = words[0] === "." ? ignored.kept : words;
  mkdirSync(target, { recursive: true });
  for (const name of names) execFileSync("cp", ["-a", join(context, name), target]);
  for (const pattern of ignored.left) {
    if (!pattern.startsWith("**/")) rmSync(join(target, pattern), { recursive: true, force: true });
    else
      execFileSync("find", [
        target,
        "-name",
        pattern.slice(3),
        "-not",
        "-path",
        `${target}/node_modules*`,
        "-prune",
        "-exec",
        "rm",
        "-r",
        "{}",
        "+",
      ]);
  }
}

function run(stage, command) {
  const env = {
    ...passed(),
    ...stage.env,
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    HOME: "/root",
  };
  const script =
    'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" sh -c "cd $1 && $2"';
  try {
    execFileSync("unshare", ["--mount", "sh", "-c", script, stage.root, stage.workdir, command], {
      env,
      stdio: "pipe",
      timeout: RUN_MS,
    });
  } catch (error) {
    throw new Error(`RUN ${command}\n${error.stdout}${error.stderr}`.slice(0, 3_000));
  }
}

/** Where this machine's registry and proxy are. */
function passed() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(npm_config_|NODE_EXTRA_CA|https?_proxy|no_proxy)/i.test(name),
    ),
  );
}
