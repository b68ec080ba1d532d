// Where the parser stands in its tokens. Failing is an error that never leaves the parser: nobody
// needs to know where an answer stopped making sense, only that it did.

import type { Token } from "./tokens.ts";
import { type Expression, isExpression, type MathsValue } from "./types.ts";

const MAX_DEPTH = 60;

export class Unreadable extends Error {}

export class TokenCursor {
  at = 0;
  #depth = 0;
  readonly tokens: Token[];
  /** The two rules of the language that the inner ones come back to. */
  readonly readList: (isInBraces: boolean) => MathsValue;
  readonly readFactor: () => MathsValue;

  constructor(tokens: Token[], readList: TokenCursor["readList"], readFactor: TokenCursor["readFactor"]) {
    this.tokens = tokens;
    this.readList = readList;
    this.readFactor = readFactor;
  }

  get token(): Token | undefined {
    return this.tokens[this.at];
  }

  /** The mark that comes next, or "" where something else does. */
  get mark(): string {
    const token = this.token;
    return token?.type === "mark" ? token.mark : "";
  }

  take(mark: string): boolean {
    if (this.mark !== mark) return false;
    this.at++;
    return true;
  }

  expect(mark: string): void {
    if (!this.take(mark)) this.fail();
  }

  /** One expression up to the closing mark. */
  readClosed(mark: string): Expression {
    const inner = this.nested(() => this.toExpression(this.readList(false)));
    this.expect(mark);
    return inner;
  }

  nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) this.fail();
    const result = read();
    this.#depth--;
    return result;
  }

  toExpression(value: MathsValue): Expression {
    return isExpression(value) ? value : this.fail();
  }

  fail(): never {
    throw new Unreadable();
  }
}
