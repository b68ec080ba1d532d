// Bodies that arrive compressed. What comes out of one is bounded while it is unpacked: a few kilobytes may hold gigabytes.

import { promisify } from "node:util";
import zlib from "node:zlib";
import { TuttiError } from "../base/errors.ts";

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** By the names of HTTP. Node has had zstd since 22.15 and 23.8. */
const UNPACKERS: Record<string, Unpack> = {
  gzip: promisify(zlib.gunzip) as Unpack,
  "x-gzip": promisify(zlib.gunzip) as Unpack,
  br: promisify(zlib.brotliDecompress) as Unpack,
  deflate: promisify(zlib.inflate) as Unpack,
  ...(("zstdDecompress" in zlib && {
    zstd: promisify((zlib as unknown as Record<string, typeof zlib.inflate>).zstdDecompress!) as Unpack,
  }) as object),
};

/** `encoding`: the header "content-encoding". Throws "bad-request" (400) or "too-large" (413). */
export async function unpackBody(
  raw: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return raw;
  const unpack = Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined;
  if (!unpack) {
    const known = Object.keys(UNPACKERS).filter((each) => !each.startsWith("x-"));
    const message = `The body is compressed in a way that is not known here; ${known.join(", ")} are.`;
    throw new TuttiError("bad-request", message);
  }
  try {
    return await unpack(raw, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE")
      throw new TuttiError("too-large", `The body is larger than ${maxBytes / 1e6} MB when it is unpacked`);
    throw new TuttiError("bad-request", `The body is not ${name}, although its header says so.`);
  }
}
