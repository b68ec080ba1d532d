// The dashboard as files. The page holds no data, so anybody may load it; what it shows it asks for with a key.
// Nothing from elsewhere is loaded or run: the policy below says so to the browser, whatever a model wrote.

import type { PageFile, PageFiles } from "../http/page-files.ts";
import type { Visit } from "../http/route.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

function wantsPage({ connection }: Visit): boolean {
  return /\btext\/html\b/.test(connection.header("accept") ?? "");
}

/** Answers `/` where a person asks, and any address that is the name of a file. False: it is something else. */
export function servePage(files: PageFiles | undefined, visit: Visit, path: string): boolean {
  const { method } = visit.connection.incoming;
  if (method !== "GET" && method !== "HEAD") return false;
  if (path === "" && !wantsPage(visit)) return false;
  if (!files) {
    if (path === "") sendMissing(visit);
    return path === "";
  }
  const file = path === "" ? files.index : files.find(path);
  if (file) send(visit, file);
  return file !== undefined;
}

function send({ connection }: Visit, file: PageFile): void {
  const isPacked = /\bgzip\b/.test(connection.header("accept-encoding") ?? "") && file.gzip !== undefined;
  const bytes = isPacked ? file.gzip! : file.bytes;
  connection.begin(200, {
    ...HEADERS,
    "content-type": file.type,
    "content-length": String(bytes.length),
    "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept, accept-encoding",
    ...(isPacked && { "content-encoding": "gzip" }),
  });
  connection.outgoing.end(connection.incoming.method === "HEAD" ? undefined : bytes);
}

function sendMissing({ connection }: Visit): void {
  connection.begin(200, { ...HEADERS, "content-type": "text/plain; charset=utf-8", vary: "accept" });
  connection.end(
    "This is a Tutti gateway. Its dashboard was not built: run npm run build, then start it again.\n",
  );
}
