// The least that a gateway on Hono and undici can be: the body is read, sent on through a pool, and the reply's
// bytes come back. No keys, no journal, no usage. Prints its address. The packages are those that Tutti uses,
// not those that a peer brings along.
import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../package.json", import.meta.url));
const { Hono } = require("hono");
const { getRequestListener } = require("@hono/node-server");
const { RESPONSE_ALREADY_SENT } = require("@hono/node-server/utils/response");
const { Pool } = require("undici");

const pool = new Pool(process.argv[2], { connections: 256 });
const app = new Hono();
app.post("/v1/chat/completions", async (c) => {
  const { incoming, outgoing } = c.env;
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { statusCode, headers, body } = await pool.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: Buffer.concat(chunks),
  });
  const { connection, "keep-alive": keepAlive, "transfer-encoding": encoding, ...kept } = headers;
  outgoing.writeHead(statusCode, kept);
  body.pipe(outgoing);
  return RESPONSE_ALREADY_SENT;
});
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
