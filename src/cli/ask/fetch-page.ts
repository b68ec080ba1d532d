// A web page or file that the user has named by its address. Only what was typed is fetched: with a time-out, a bound on
// its size, and redirects followed by hand, none of them to a private address that was not typed itself: a stranger's
// page must not make this machine read what only it can reach.
// Not covered: a public name whose answer changes between our look and the connection.

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { usageError } from "../../base/errors.ts";
import { isPrivateHost } from "../../config/endpoint.ts";
import { type Room, readBytes } from "./bounded-read.ts";

export interface FetchedPage {
  bytes: Buffer;
  /** Without parameters: "text/html". */
  mediaType: string;
  /** Where it was found in the end. */
  url: string;
}

const TIMEOUT_MS = 20_000;
const MOST_REDIRECTS = 5;

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** `roomFor` says where the bytes of a media type are counted, or that it is not taken. */
export async function fetchPage(
  typed: string,
  room: Room,
  roomFor: (mediaType: string) => keyof Room | undefined,
): Promise<FetchedPage> {
  const fail = (why: string, cause?: unknown) => usageError(`cannot read ${typed}: ${why}`, cause);
  if (!URL.canParse(typed)) throw fail("this is no address");
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let url = new URL(typed);
  for (let redirects = 0; ; redirects++) {
    if (url.username !== "" || url.password !== "")
      throw fail("addresses with a password in them are not fetched");
    if (redirects > 0 && url.origin !== new URL(typed).origin && (await isPrivate(url)))
      throw fail(
        `it leads to ${url.origin}, which is a private address. If you mean that one, name it yourself`,
      );
    const response = await fetch(url, { redirect: "manual", signal, headers: { accept: "*/*" } }).catch(
      (error) => {
        const { cause } = error as { cause?: { code?: string; message?: string } };
        const isLate = signal.aborted;
        throw fail(
          isLate ? `no answer within ${TIMEOUT_MS / 1000} s` : (cause?.code ?? String(error)),
          error,
        );
      },
    );
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      if (redirects === MOST_REDIRECTS) throw fail(`more than ${MOST_REDIRECTS} redirects`);
      url = new URL(location, url);
      if (!isAddress(url.href)) throw fail(`it leads to ${url.protocol}, which is not http or https`);
      continue;
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw fail(`the server answered ${response.status}`);
    }
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
    const kind = roomFor(mediaType);
    if (kind === undefined) {
      await response.body.cancel();
      throw fail(`it is ${mediaType || "of no named type"}, and only text, HTML, images and PDF are taken`);
    }
    const bytes = await readBytes(response.body as unknown as AsyncIterable<Uint8Array>, room, kind);
    return { bytes, mediaType, url: url.href };
  }
}

async function isPrivate(url: URL): Promise<boolean> {
  if (isPrivateHost(url.href)) return true;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return false;
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) =>
    isPrivateHost(`http://${address.includes(":") ? `[${address}]` : address}`),
  );
}

// ---- HTML ----------------------------------------------------------------------------------------

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
};
const BLOCK =
  /<\/?(?:p|div|section|article|header|footer|main|ul|ol|table|tr|h[1-6]|blockquote|pre|br|hr|dl|dt|dd|figure)\b[^>]*>/gi;

/** What a reader would see, roughly: without scripts, styles and marks. */
export function toPlainText(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(script|style|noscript|template|svg|head)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(/<\/t[dh]>/gi, " | ")
    .replace(BLOCK, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => toCharacter(name) ?? whole)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function toCharacter(name: string): string | undefined {
  if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
