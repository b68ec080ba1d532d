// The tokenizer: text to tokens and back. 256 bytes, then literals (strings that are one token wherever they
// occur), then byte pairs learned from the texts of the domain. Every text can be encoded, and comes back as it
// was; only lone surrogates become U+FFFD, as everywhere in UTF-8.

import { z } from "zod";
import { TuttiError, usageError } from "../base/errors.ts";
import { learnMerges, MAX_VOCABULARY, type Merge, toPairKey } from "./byte-pairs.ts";

const FORMAT = "tutti-tokenizer";
/** Changes when the same file would encode a text differently: another `PIECE`, another order of tokens. */
const VERSION = 1;
const BYTES = 256;
/** Above every token: the pair is not joined. */
const NONE = 0x7fff_ffff;

const jsonSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  literals: z.array(z.string()),
  merges: z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()])),
});
type TokenizerJson = z.output<typeof jsonSchema>;

/**
 * Merges never cross pieces: a word with its leading space, one digit (so that numbers stay digits), a run of
 * punctuation, a run of white space (which leaves the word after it its space). Pieces end after 64 characters,
 * so that hostile text costs no more than ordinary text. Which characters are letters comes from the Unicode
 * tables of the runtime: two versions of Node can differ on characters that are newer than one of them.
 */
const PIECE = / ?\p{L}[\p{L}\p{M}]{0,63}|\p{N}|[^\s\p{L}\p{N}]{1,64}|\s{1,64}(?= \p{L})|\s{1,64}/gu;
/** 64 characters of at most 4 bytes. No token is longer: it would never be met. */
const MAX_PIECE_BYTES = 256;
/** Pieces whose tokens are remembered: the words of a domain fit. When it is full it starts again empty. */
const MAX_CACHED_PIECES = 16_384;
/** Longer pieces are rarely words, and would let hostile text fill the memory. */
const MAX_CACHED_LENGTH = 16;

/**
 * Makes a vocabulary of at most `size` tokens; fewer where the texts hold too few pairs. Equal texts, in any
 * order, give an equal vocabulary.
 */
export function trainTokenizer(
  texts: readonly string[],
  options: { size: number; literals: readonly string[] },
): Tokenizer {
  const firstToken = BYTES + options.literals.length;
  if (!Number.isInteger(options.size) || options.size < firstToken || options.size > MAX_VOCABULARY)
    throw usageError(
      `A vocabulary of ${options.size} tokens cannot be made: it must be a whole number from ${firstToken} ` +
        `(256 bytes and ${options.literals.length} literals) to ${MAX_VOCABULARY}.`,
    );
  const problem = findLiteralProblem(options.literals);
  if (problem !== undefined) throw usageError(problem);

  const pattern = toLiteralPattern(options.literals);
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const part of splitAtLiterals(text, pattern)) {
      if (part.isLiteral) continue;
      for (const piece of part.text.match(PIECE) ?? []) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    }
  }
  const merges = learnMerges(counts, { firstToken, count: options.size - firstToken });
  return new Tokenizer(options.literals, merges);
}

/** Reads what `toJson` gave. The file is not trusted: every merge must join two earlier tokens. */
export function fromTokenizerJson(json: unknown): Tokenizer {
  const head = z.object({ format: z.literal(FORMAT), version: z.unknown() }).safeParse(json);
  if (!head.success) throw badTokenizer(`it is not a "${FORMAT}" file`);
  if (head.data.version !== VERSION)
    throw badTokenizer(
      `it has version ${JSON.stringify(head.data.version)}, and this program reads ${VERSION}`,
    );
  const parsed = jsonSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw badTokenizer(`${issue.path.join(".")}: ${issue.message}`);
  }
  const { literals, merges } = parsed.data;
  const problem = findLiteralProblem(literals) ?? findMergeProblem(merges, BYTES + literals.length);
  if (problem !== undefined) throw badTokenizer(problem);
  return new Tokenizer(literals, merges);
}

export class Tokenizer {
  /** Tokens are 0 to size − 1. */
  readonly size: number;
  readonly #literals: ReadonlyMap<string, number>;
  readonly #literalPattern: RegExp | undefined;
  readonly #merges: readonly Merge[];
  /** From a pair to the token it is joined to. A lower token was learned earlier and is joined first. */
  readonly #joined = new Map<number, number>();
  readonly #bytes: Uint8Array[];
  readonly #cache = new Map<string, readonly number[]>();
  readonly #encoder = new TextEncoder();
  /** A byte order mark is a character like any other here. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #scratch = new Uint8Array(MAX_PIECE_BYTES);
  readonly #tokens = new Int32Array(MAX_PIECE_BYTES);
  readonly #joins = new Int32Array(MAX_PIECE_BYTES);

  constructor(literals: readonly string[], merges: readonly Merge[]) {
    this.#literals = new Map(literals.map((literal, i) => [literal, BYTES + i]));
    this.#literalPattern = toLiteralPattern(literals);
    this.#merges = merges.map(([left, right]) => [left, right] as const);
    this.#bytes = Array.from({ length: BYTES }, (_, byte) => Uint8Array.of(byte));
    for (const literal of literals) this.#bytes.push(this.#encoder.encode(literal));
    for (const [left, right] of merges) {
      this.#joined.set(toPairKey(left, right), this.#bytes.length);
      this.#bytes.push(Uint8Array.from([...this.#bytes[left]!, ...this.#bytes[right]!]));
    }
    this.size = this.#bytes.length;
  }

  encode(text: string): number[] {
    const tokens: number[] = [];
    for (const part of splitAtLiterals(text, this.#literalPattern)) {
      if (part.isLiteral) {
        tokens.push(this.literal(part.text));
        continue;
      }
      for (const piece of part.text.match(PIECE) ?? []) {
        for (const token of this.#cache.get(piece) ?? this.#encodePiece(piece)) tokens.push(token);
      }
    }
    return tokens;
  }

  decode(tokens: Iterable<number>): string {
    const parts: Uint8Array[] = [];
    for (const token of tokens) {
      const bytes = this.#bytes[token];
      if (bytes === undefined)
        throw usageError(
          `Token ${token} cannot be decoded: this vocabulary has the tokens 0 to ${this.size - 1}.`,
        );
      parts.push(bytes);
    }
    return this.#decoder.decode(Buffer.concat(parts));
  }

  /** The token of a literal; throws where there is no such literal. */
  literal(text: string): number {
    const token = this.#literals.get(text);
    if (token === undefined) {
      const known = [...this.#literals.keys()].map((literal) => JSON.stringify(literal)).join(", ");
      throw usageError(
        `No literal ${JSON.stringify(text)} in the vocabulary (there are: ${known || "none"}).`,
      );
    }
    return token;
  }

  toJson(): TokenizerJson {
    return {
      format: FORMAT,
      version: VERSION,
      literals: [...this.#literals.keys()],
      merges: this.#merges.map(([left, right]) => [left, right]),
    };
  }

  #encodePiece(piece: string): readonly number[] {
    const { written } = this.#encoder.encodeInto(piece, this.#scratch);
    const bytes = this.#scratch.subarray(0, written);
    const tokens = this.#join(bytes);
    if (piece.length > MAX_CACHED_LENGTH) return tokens;
    if (this.#cache.size >= MAX_CACHED_PIECES) this.#cache.clear();
    // A new string: a piece of a long text can be a view that would keep all of that text in memory.
    this.#cache.set(this.#decoder.decode(bytes), tokens);
    return tokens;
  }

  /** Joins the earliest learned pair, leftmost first, until no pair is left. */
  #join(bytes: Uint8Array): number[] {
    const [tokens, joins] = [this.#tokens, this.#joins];
    let length = bytes.length;
    for (let i = 0; i < length; i++) tokens[i] = bytes[i]!;
    // joins[i] is what tokens i and i + 1 become. Kept, so that a join looks up only the two pairs it changes.
    for (let i = 0; i + 1 < length; i++)
      joins[i] = this.#joined.get(toPairKey(tokens[i]!, tokens[i + 1]!)) ?? NONE;
    while (length > 1) {
      let best = 0;
      for (let i = 1; i + 1 < length; i++) if (joins[i]! < joins[best]!) best = i;
      if (joins[best] === NONE) break;
      tokens[best] = joins[best]!;
      length--;
      for (let i = best + 1; i < length; i++) tokens[i] = tokens[i + 1]!;
      for (let i = best + 1; i + 1 < length; i++) joins[i] = joins[i + 1]!;
      for (let i = Math.max(0, best - 1); i <= best && i + 1 < length; i++)
        joins[i] = this.#joined.get(toPairKey(tokens[i]!, tokens[i + 1]!)) ?? NONE;
    }
    return Array.from(tokens.subarray(0, length));
  }
}

/** The literals as one pattern; of several that start at the same place the longest is taken. */
function toLiteralPattern(literals: readonly string[]): RegExp | undefined {
  if (literals.length === 0) return undefined;
  const longestFirst = [...literals].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((literal) => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(escaped.join("|"), "gu");
}

function* splitAtLiterals(
  text: string,
  pattern: RegExp | undefined,
): Generator<{ text: string; isLiteral: boolean }> {
  let end = 0;
  if (pattern !== undefined) {
    for (const match of text.matchAll(pattern)) {
      if (match.index > end) yield { text: text.slice(end, match.index), isLiteral: false };
      yield { text: match[0], isLiteral: true };
      end = match.index + match[0].length;
    }
  }
  if (end < text.length) yield { text: text.slice(end), isLiteral: false };
}

function findLiteralProblem(literals: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const literal of literals) {
    if (literal === "") return "A literal is empty: it must have at least one character.";
    if (/\p{Cs}/u.test(literal)) return `The literal ${JSON.stringify(literal)} holds half a character.`;
    if (seen.has(literal)) return `The literal ${JSON.stringify(literal)} is there twice.`;
    seen.add(literal);
  }
  return undefined;
}

function findMergeProblem(merges: readonly Merge[], firstToken: number): string | undefined {
  if (firstToken + merges.length > MAX_VOCABULARY) return `it has more than ${MAX_VOCABULARY} tokens`;
  const lengths = new Map<number, number>();
  for (let byte = 0; byte < BYTES; byte++) lengths.set(byte, 1);
  const seen = new Set<number>();
  for (const [i, [left, right]] of merges.entries()) {
    const [leftBytes, rightBytes] = [lengths.get(left), lengths.get(right)];
    if (leftBytes === undefined || rightBytes === undefined)
      return `merge ${i} joins ${left} and ${right}, which must both be bytes or earlier merges`;
    // Also keeps a small file from growing without bound: merges could double at every line.
    if (leftBytes + rightBytes > MAX_PIECE_BYTES) return `merge ${i} is longer than ${MAX_PIECE_BYTES} bytes`;
    const key = toPairKey(left, right);
    if (seen.has(key)) return `merge ${i} joins ${left} and ${right} a second time`;
    seen.add(key);
    lengths.set(firstToken + i, leftBytes + rightBytes);
  }
  return undefined;
}

function badTokenizer(problem: string): TuttiError {
  return new TuttiError("bad-tokenizer", `The tokenizer cannot be read: ${problem}`);
}
