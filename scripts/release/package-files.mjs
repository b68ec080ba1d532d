// What must and must not be in the tarball that people install. Pure.

/** What people cannot do without. */
export const NEEDED = [
  "package.json",
  "README.md",
  "LICENSE",
  "dist/index.js",
  "dist/index.d.ts",
  "dist/cli/main.js",
  "dist/gateway/server.js",
  "dist/web/index.html",
  "models/conductor/card.json",
  "models/conductor/weights.safetensors",
  "models/conductor/repertoire.yaml",
  "models/repertoire.yaml",
  "python/conductor_reward.py",
];

const UNWANTED = [
  [/\.test\.|(^|\/)testing\//, "a test"],
  [/(^|\/)recordings?\/.*\.jsonl|outcomes\.jsonl|tasks\.jsonl/, "a recording"],
  [/(^|\/)(trainings|bench|\.tutti)\/.*\.jsonl/, "a result of a run"],
  [/\.db(-wal|-shm)?$|(^|\/)\.env|keys\.json$/, "private data"],
  [/^(src|web|scripts|speed|experiments|attack)\//, "a source"],
];

/** One line for each file that is missing or does not belong there. */
export function problemsOfPackage(paths) {
  const there = new Set(paths);
  const missing = NEEDED.filter((path) => !there.has(path)).map((path) => `${path} is missing`);
  const wrong = paths.flatMap((path) => {
    const rule = UNWANTED.find(([pattern]) => pattern.test(path));
    return rule ? [`${path} is ${rule[1]}`] : [];
  });
  return [...missing, ...wrong];
}
