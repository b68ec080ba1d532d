import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formsOf } from "./redact.ts";
import { createSecretFilter } from "./secret-filter.ts";

const KEY = "sk-proj-Ab3/+xY9=q_7TzLmN0pQrStUvWx";

/** What comes out of the filter for these pieces. */
function pass(pieces: Buffer[], secret = KEY): string {
  const filter = createSecretFilter(secret)!;
  return Buffer.concat([...pieces.map((piece) => filter.push(piece)), filter.end()]).toString("latin1");
}

const cut = (bytes: Buffer, places: number[]) => {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
};

describe("a secret that passes by", () => {
  it.each(formsOf(KEY).map((form) => [form]))("is taken out, wherever it is cut: %s", (form) => {
    const text = `{"error":"key ${form} is wrong"}`;
    for (let place = 0; place <= text.length; place++) {
      const out = pass(cut(Buffer.from(text), [place, place + 7]));
      expect(out).toHaveLength(text.length);
      expect(out).not.toContain(form);
      expect(out).toContain("***");
    }
  });

  it("is taken out in every form, amid any bytes, cut anywhere; all other bytes stay", () => {
    const secrets = fc.string({ unit: fc.constantFrom(..."sk-aB+/=_9"), minLength: 8, maxLength: 60 });
    const noise = fc.string({ unit: fc.constantFrom(..."sk-aB+/=_9\n {}"), maxLength: 40 });
    fc.assert(
      fc.property(
        secrets.filter((secret) => formsOf(secret).length > 0),
        fc.array(fc.tuple(noise, fc.nat(12)), { maxLength: 6 }),
        fc.array(fc.nat(500), { maxLength: 12 }),
        (secret, parts, places) => {
          const forms = formsOf(secret);
          const text = parts.map(([before, form]) => before + forms[form % forms.length]!).join("");
          const out = pass(cut(Buffer.from(text), places), secret);
          expect(out).toHaveLength(text.length);
          for (const form of forms) expect(out.includes(form)).toBe(false);
          for (const [at, byte] of [...out].entries()) expect(byte === text[at] || byte === "*").toBe(true);
        },
      ),
      { seed: 14, numRuns: 500 },
    );
  });

  it("holds nothing back but what may be its beginning, and copies nothing where it is not", () => {
    const filter = createSecretFilter(KEY)!;
    const line = Buffer.from('data: {"a":"sk-project"}\n\n');
    expect(filter.push(line)).toBe(line);
    expect(filter.push(Buffer.from("abc sk-pr")).toString()).toBe("abc ");
    expect(filter.push(Buffer.from("ime")).toString()).toBe("sk-prime");
    expect(filter.push(Buffer.from(KEY.slice(0, -1)))).toHaveLength(0);
    expect(filter.end().toString()).toBe(KEY.slice(0, -1));
  });

  it("in a header, and twice in a row", () => {
    expect(createSecretFilter(KEY)!.clean(`Bearer ${KEY}${KEY}`)).toBe(
      `Bearer ${"*".repeat(2 * KEY.length)}`,
    );
  });
});

it("words that only stand where a key is asked for are no secrets", () => {
  for (const word of [undefined, "", "none", "lm-studio"]) expect(createSecretFilter(word)).toBeUndefined();
});
