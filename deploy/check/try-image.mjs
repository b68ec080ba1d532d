// What a Dockerfile made, run as a container would run it: as its user, with nothing writable but the volume and /tmp. It must
// refuse to be open, take a key, answer, be healthy, and end when it is told to; the same on a real Postgres.
import { spawnSync } from "node:child_process";
import { createJiti } from "jiti";

const TRY_MS = 180_000;
/** One that the rehearsal recognises, as in .ci/run. */
const QUESTION =
  "Around a rectangular pool of 35 m by 16 m runs a border 2 m wide. Tiles cost 5 dollars a square metre. What do the tiles for the border cost in dollars?";

const SCRIPT = `
set -eu
root=$1
mount --bind "$root" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=700,uid=1000,gid=1000 tmpfs "$root/var/lib/tutti"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
in_it() { chroot --userspec="$USER_IDS" "$root" /usr/bin/env -C /var/lib/tutti "$@"; }
if in_it touch /app/written 2>/dev/null; then echo "the file system can be written"; exit 1; fi
if in_it $ENTRYPOINT $CMD >/dev/null 2>&1; then echo "it is open to everybody"; exit 1; fi
key=$(in_it $ENTRYPOINT keys create --name check --json | sed -n 's/.*"secret": *"\\([^"]*\\)".*/\\1/p')
[ -n "$key" ] || { echo "no key could be made"; exit 1; }
in_it $ENTRYPOINT $CMD $MORE >"$root/tmp/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for i in $(seq 100); do in_it sh -c "$HEALTH" 2>/dev/null && break; sleep 0.2; done
in_it sh -c "$HEALTH" || { echo "it is not healthy: $(cat "$root/tmp/log")"; exit 1; }
answer=$(in_it node -e '
  const [port, key, content] = process.argv.slice(1);
  const body = JSON.stringify({ model: "tutti", messages: [{ role: "user", content }] });
  const headers = { "content-type": "application/json", authorization: "Bearer " + key };
  fetch("http://127.0.0.1:" + port + "/v1/chat/completions", { method: "POST", headers, body })
    .then((reply) => reply.json()).then((reply) => console.log(reply.choices ? "answered" : JSON.stringify(reply)));
' "$PORT" "$key" "$QUESTION")
[ "$answer" = answered ] || { echo "it says: $answer"; exit 1; }
kill -TERM "$server"
code=0; wait "$server" || code=$?
[ "$code" = 0 ] || { echo "it ended with $code"; exit 1; }
`;

export async function tryImage({ root, user, env, entrypoint, cmd, health, port }) {
  const settings = {
    ...env,
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    USER_IDS: user,
    ENTRYPOINT: entrypoint.join(" "),
    CMD: cmd.join(" "),
    HEALTH: health.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" "),
    PORT: String(port),
    QUESTION,
    TUTTI_REHEARSAL_DELAY: "0",
  };
  const attempt = (more) => {
    const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", SCRIPT, "sh", root], {
      env: { ...settings, ...more },
      encoding: "utf8",
      timeout: TRY_MS,
    });
    return status === 0 ? undefined : `FAIL ${stdout}${stderr}`;
  };
  const alone = attempt({ MORE: "" });
  if (alone) return alone;
  const tools = await createJiti(import.meta.url).import("../../src/testing/postgres-server.ts");
  if (!tools.canStartPostgres()) return "ok; on Postgres skipped, there is none";
  const postgres = await tools.startPostgres();
  try {
    return (
      attempt({ MORE: "--postgres", TUTTI_POSTGRES_URL: postgres.address }) ??
      "ok, with a file and on Postgres"
    );
  } finally {
    await postgres.remove();
  }
}
