// A web page or file that the user has named by its address. Only what was typed is fetched: with a time-out, a bound on
// its size, and redirects followed by hand, none of them to a private address that was not typed itself: a stranger's
// page must not make this machine read what only it can reach.
// Not covered: a public name whose answer changes between our look and the connection.

import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6 } from "node:net";
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
  if (isIP(host)) return isPrivateAddress(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => isPrivateAddress(address));
}

/** Those that lead nowhere public, in whichever of their notations: of this machine, of its networks, of nobody. */
const PRIVATE = new BlockList();
for (const subnet of [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  // The last two hold an IPv4 address each, which a gateway of the network would ask.
  ...["::/96", "fc00::/7", "fe80::/9", "ff00::/8", "64:ff9b::/32", "2002::/16"],
]) {
  const [address, bits] = subnet.split("/") as [string, string];
  PRIVATE.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
}

function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
