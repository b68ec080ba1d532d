// Files and web pages that go with a question, from a real server on loopback.

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHome } from "../../testing/command.ts";
import { toCallOptions } from "../../worker/call-options.ts";
import { toPlainText } from "./html-text.ts";
import { readInput } from "./read-input.ts";

/** A PDF of one page that says this. */
function toPdf(text: string): string {
  const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, "0");
  });
  const start = file.length;
  const table = offsets.map((offset) => `${offset} 00000 n \n`).join("");
  return `${file}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
}

const servers: Server[] = [];
let url = "";
let other = "";
let redirect = "";

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const send = (type: string, body: string | Buffer) =>
      response.writeHead(200, { "content-type": type }).end(body);
    switch (request.url) {
      case "/page":
        return send(
          "text/html; charset=utf-8",
          "<head><title>x</title></head><h1>Tea &amp; cake</h1><script>evil()</script><p>At five.",
        );
      case "/data":
        return send("application/json", '{"a": 1}');
      case "/picture":
        return send("image/png", Buffer.from([1, 2, 3]));
      case "/paper":
        return send("application/pdf", toPdf("Forty two"));
      case "/program":
        return send("application/octet-stream", "MZ");
      case "/huge":
        return send("text/plain", "x".repeat(2_000_000));
      case "/near":
        return response.writeHead(302, { location: "/data" }).end();
      case "/inside":
        return response.writeHead(302, { location: `${other}/data` }).end();
      case "/mapped":
        return response
          .writeHead(302, { location: `${other.replace("127.0.0.1", "[::ffff:127.0.0.1]")}/data` })
          .end();
      case "/anywhere":
        return response.writeHead(302, { location: redirect }).end();
      case "/loop":
        return response.writeHead(302, { location: "/loop" }).end();
      case "/elsewhere":
        return response.writeHead(302, { location: "file:///etc/passwd" }).end();
      default:
        return response.writeHead(404).end();
    }
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  other = await serve();
  url = await serve();
});
afterAll(() => {
  for (const server of servers) server.close();
});

const read = (...files: string[]) => readInput({ words: ["What is it?"], files });

describe("a web page", () => {
  it("is quoted as text, named by its address", async () => {
    const { content } = await read(`${url}/page`);
    expect(content).toBe(`What is it?\n\nPage "${url}/page":\n\`\`\`\nTea & cake\n\nAt five.\n\`\`\``);
    expect((await read(`${url}/near`)).content).toContain(`Page "${url}/data"`);
  });

  it("may be a picture or a PDF", async () => {
    const { content } = await read(`${url}/picture`, `${url}/paper`);
    expect(content).toMatchObject([
      { type: "text" },
      { type: "image", mediaType: "image/png" },
      { type: "file", mediaType: "application/pdf", text: "Forty two", pages: 1 },
    ]);
  });

  it.each([
    ["/program", /application\/octet-stream, and only text, HTML, images and PDF/],
    ["/huge", /too large/],
    ["/nothing", /answered 404/],
    ["/loop", /more than 5 redirects/],
    ["/elsewhere", /leads to file:/],
    ["/mapped", /leads to http:\/\/\[::ffff:7f00:1\]:\d+, which is a private address/],
    ["/inside", /leads to http:\/\/127\.0\.0\.1:\d+, which is a private address/],
  ])("%s is refused with the reason", async (path, message) => {
    await expect(read(url + path)).rejects.toThrow(message);
  });

  it.each([
    "0.1.2.3",
    "[::]",
    "[::7f00:1]",
    "[fe90::1]",
    "[64:ff9b::7f00:1]",
    "100.64.0.1",
    "[2002:7f00:1::]",
  ])("leads to no address of this machine or its networks, such as %s", async (host) => {
    redirect = `http://${host}/`;
    await expect(read(`${url}/anywhere`)).rejects.toThrow("which is a private address");
  });

  it("loses what a reader would not see", () => {
    expect(
      toPlainText("<style>a{}</style><ul><li>one<li>two</ul><!-- no --><b>b</b>&#65;&unknown;&#0;"),
    ).toBe("- one\n- two\nbA&unknown;&#0;");
  });
});

describe("a page or a file that is made to be read for ever", () => {
  const size = 2_000_000;
  it.each(["<!--", "<script>", "<script", "<", "</", "<head><svg>", "<p ", "<style></styles ", "&#1", "a&"])(
    "%s again and again ends",
    (piece) => {
      expect(toPlainText(piece.repeat(Math.floor(size / piece.length))).length).toBeLessThanOrEqual(2 * size);
    },
  );

  it("a million back-ticks are quoted", async () => {
    const path = join(createHome(), "ticks.txt");
    writeFileSync(path, "` ".repeat(500_000));
    expect((await read(path)).content).toContain(`\`\`\`\n\` \``);
  });

  it("a PDF that unpacks to very much text keeps a megabyte of it", async () => {
    const path = join(createHome(), "long.pdf");
    writeFileSync(path, toPdf("long ".repeat(400_000)));
    const { content } = await read(path);
    expect(content).toMatchObject([{ type: "text" }, { type: "file", pages: 1 }]);
    expect(((content as { text: string }[])[1]!.text ?? "").length).toBeLessThanOrEqual(1_048_576);
  });
});

describe("a PDF", () => {
  const toPrompt = async (takesPdf: boolean) => {
    const path = join(createHome(), "paper.pdf");
    writeFileSync(path, toPdf("Forty two"));
    const message = await read(path);
    const { prompt } = toCallOptions(
      { messages: [message], maxOutputTokens: 1 },
      { workerId: "a", supportedUrls: {}, takesPdf },
    );
    return prompt[0]!.content;
  };

  it("is sent as a file to whoever takes it, and as quoted text to others", async () => {
    expect((await toPrompt(true))[1]).toMatchObject({
      type: "file",
      mediaType: "application/pdf",
      filename: "paper.pdf",
    });
    expect((await toPrompt(false))[1]).toMatchObject({
      type: "text",
      text: expect.stringMatching(/^<<< text of the file "paper\.pdf" · \w+\nForty two\n>>>/),
    });
  });
});

it("an image is named and not sent to a worker without sight", () => {
  const image = { type: "image" as const, image: "data:image/png;base64,AQID" };
  const { prompt } = toCallOptions(
    { messages: [{ role: "user", content: [image] }], maxOutputTokens: 1 },
    { workerId: "a", supportedUrls: {}, takesImages: false },
  );
  expect(prompt[0]!.content).toEqual([{ type: "text", text: "[an image, which you cannot see]" }]);
});
