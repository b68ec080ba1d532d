// The least that a gateway on Node and undici can be: the body is read, sent on through a pool, and the reply's
// bytes come back. No keys, no journal, no usage. Prints its address. The packages are those that Tutti uses,
// not those that a peer brings along.
import { createServer } from "node:http";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../package.json", import.meta.url));
const { Pool } = require("undici");

const pool = new Pool(process.argv[2], { connections: 256 });
const server = createServer(async (incoming, outgoing) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { statusCode, headers, body } = await pool.request({
    path: incoming.url,
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: Buffer.concat(chunks),
  });
  const { connection, "keep-alive": keepAlive, "transfer-encoding": encoding, ...kept } = headers;
  outgoing.writeHead(statusCode, kept);
  body.pipe(outgoing);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
