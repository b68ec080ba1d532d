// The barest proxy as people write it: Hono on its Node server, and undici. No keys, no journal, no usage. Prints its
// address. Hono is the copy that the peers bring along; undici is ours.
import { createRequire } from "node:module";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const require = createRequire(new URL("../../package.json", import.meta.url));
const { Pool } = require("undici");

const pool = new Pool(process.argv[2], { connections: 256 });
const app = new Hono();
app.post("/v1/chat/completions", async (context) => {
  const { statusCode, headers, body } = await pool.request({
    path: context.req.path,
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: Buffer.from(await context.req.arrayBuffer()),
  });
  const isStream = String(headers["content-type"]).startsWith("text/event-stream");
  const reply = isStream ? body : await body.arrayBuffer();
  return new Response(reply, { status: statusCode, headers: { "content-type": headers["content-type"] } });
});
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
