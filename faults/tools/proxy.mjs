// The network between a gateway and its Postgres, as a proxy over TCP: it passes everything on, swallows everything without a
// word (a cable that was cut), or resets every connection. Portable, where network namespaces need root.
import { once } from "node:events";
import { connect, createServer } from "node:net";

export async function startProxy(address) {
  const { hostname, port } = new URL(address);
  const pairs = new Set();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream];
    pairs.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      from.on("data", (chunk) => {
        if (!isCut) to.write(chunk);
      });
      from.on("error", () => {});
      from.on("close", () => {
        pairs.delete(pair);
        if (!isCut) to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const dropAll = () => {
    for (const each of [...pairs].flat()) each.resetAndDestroy();
  };
  return {
    toAddress(real) {
      const through = new URL(real);
      through.port = String(server.address().port);
      return through.href;
    },
    /** Nothing arrives on either side any more. */
    cut() {
      isCut = true;
    },
    /** New connections pass. Those from before were cut, and stay so. */
    heal() {
      isCut = false;
      dropAll();
    },
    dropAll,
    close() {
      dropAll();
      server.close();
    },
  };
}
