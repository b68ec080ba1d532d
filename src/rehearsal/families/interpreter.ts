// A little interpreter for the tiny programs of the family "programs": a few statements of JavaScript
// over whole numbers. Every assignment that takes some working out is a stage of the trace.

import type { Worksheet } from "../types.ts";

type ProgramExpression =
  | { type: "number"; value: number }
  | { type: "variable"; name: string }
  | { type: "operation"; operator: string; left: ProgramExpression; right: ProgramExpression };

export type ProgramStatement =
  | { type: "assign"; name: string; value: ProgramExpression }
  | {
      type: "loop";
      start?: ProgramStatement;
      condition: ProgramExpression;
      update?: ProgramStatement;
      body: ProgramStatement[];
    }
  | { type: "if"; condition: ProgramExpression; whenTrue: ProgramStatement[]; otherwise: ProgramStatement[] }
  | { type: "print"; value: ProgramExpression };

/** Weakest first: each row binds tighter than the one before it. */
const OPERATORS: readonly Record<string, (a: number, b: number) => number>[] = [
  {
    "===": (a, b) => Number(a === b),
    "!==": (a, b) => Number(a !== b),
    "<=": (a, b) => Number(a <= b),
    ">=": (a, b) => Number(a >= b),
    "<": (a, b) => Number(a < b),
    ">": (a, b) => Number(a > b),
  },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "%": (a, b) => a % b },
];
const OPERATE = Object.assign({}, ...OPERATORS) as (typeof OPERATORS)[number];
const TOKEN = /\s*(console\.log|[a-z_]\w*|\d+|===|!==|==|!=|<=|>=|\+\+|--|\+=|-=|\*=|[-+*%<>=;(){}])/iy;
/** Turns of all loops together: a slip may make a condition true forever. */
const MAX_TURNS = 60;

/** Undefined for anything that is not a program of this little language. */
export function parseProgram(source: string): ProgramStatement[] | undefined {
  const tokens = tokenise(source);
  let at = 0;
  const fail = (): never => {
    throw new SyntaxError(`unexpected ${tokens?.[at] ?? "end"}`);
  };
  const peek = () => tokens?.[at];
  const accept = (token: string) => peek() === token && ++at > 0;
  const expect = (token: string) => accept(token) || fail();
  const name = () => (/^[a-z_]\w*$/i.test(peek() ?? "") ? tokens![at++]! : fail());

  function expression(level = 0): ProgramExpression {
    const operators = OPERATORS[level];
    if (!operators) return operand();
    let left = expression(level + 1);
    while (Object.hasOwn(operators, peek() ?? "")) {
      const operator = tokens![at++]!;
      left = { type: "operation", operator, left, right: expression(level + 1) };
    }
    return left;
  }
  function operand(): ProgramExpression {
    if (accept("(")) {
      const inner = expression();
      expect(")");
      return inner;
    }
    if (/^\d+$/.test(peek() ?? "")) return { type: "number", value: Number(tokens![at++]) };
    return { type: "variable", name: name() };
  }
  function assignment(): ProgramStatement {
    if (!accept("let") && !accept("const")) accept("var");
    const target = name();
    const variable: ProgramExpression = { type: "variable", name: target };
    const one: ProgramExpression = { type: "number", value: 1 };
    if (accept("++")) return assign(target, "+", variable, one);
    if (accept("--")) return assign(target, "-", variable, one);
    for (const operator of ["+", "-", "*"]) {
      if (accept(`${operator}=`)) return assign(target, operator, variable, expression());
    }
    expect("=");
    return { type: "assign", name: target, value: expression() };
  }
  function block(): ProgramStatement[] {
    expect("{");
    const body: ProgramStatement[] = [];
    while (!accept("}")) body.push(statement());
    return body;
  }
  function statement(): ProgramStatement {
    if (accept("for")) {
      expect("(");
      const start = assignment();
      expect(";");
      const condition = expression();
      expect(";");
      const update = assignment();
      expect(")");
      return { type: "loop", start, condition, update, body: block() };
    }
    if (accept("while") || peek() === "if") {
      const isIf = accept("if");
      expect("(");
      const condition = expression();
      expect(")");
      const body = block();
      if (!isIf) return { type: "loop", condition, body };
      return { type: "if", condition, whenTrue: body, otherwise: accept("else") ? block() : [] };
    }
    if (accept("console.log")) {
      expect("(");
      const value = expression();
      expect(")");
      accept(";");
      return { type: "print", value };
    }
    const made = assignment();
    expect(";");
    return made;
  }

  try {
    const program: ProgramStatement[] = [];
    while (tokens && at < tokens.length) program.push(statement());
    return program.length > 0 ? program : undefined;
  } catch {
    return undefined;
  }
}

/** What the program prints; undefined where it prints nothing, uses an unknown name or does not end. */
export function runProgram(program: readonly ProgramStatement[], sheet: Worksheet): number | undefined {
  const variables = new Map<string, number>();
  let turns = 0;
  let printed: number | undefined;

  function evaluate(expression: ProgramExpression): number {
    if (expression.type === "number") return expression.value;
    if (expression.type === "variable") return variables.get(expression.name) ?? Number.NaN;
    return OPERATE[expression.operator]!(evaluate(expression.left), evaluate(expression.right));
  }
  function run(statements: readonly ProgramStatement[]): void {
    for (const statement of statements) {
      if (statement.type === "assign") assignTo(statement.name, statement.value);
      else if (statement.type === "if")
        run(evaluate(statement.condition) ? statement.whenTrue : statement.otherwise);
      else if (statement.type === "loop") loop(statement);
      else printed = sheet.number("read off what is printed", evaluate(statement.value), "it prints #");
    }
  }
  function assignTo(name: string, value: ProgramExpression): void {
    const result = evaluate(value);
    // Setting a variable to a number that stands there takes no work.
    const isWork = value.type !== "number";
    const work = `work out the new value of ${name}`;
    variables.set(name, isWork ? sheet.number(work, result, `${name} = #`) : result);
  }
  function loop({ start, condition, update, body }: Extract<ProgramStatement, { type: "loop" }>): void {
    if (start?.type === "assign") variables.set(start.name, evaluate(start.value));
    while (evaluate(condition) && ++turns <= MAX_TURNS) {
      run(body);
      if (update?.type === "assign") variables.set(update.name, evaluate(update.value));
    }
  }

  run(program);
  return turns > MAX_TURNS || !Number.isSafeInteger(printed) ? undefined : printed;
}

function tokenise(source: string): string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.trimEnd().length; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(source)?.[1];
    if (token === undefined) return undefined;
    tokens.push(token === "==" || token === "!=" ? `${token}=` : token);
  }
  return tokens;
}

function assign(
  name: string,
  operator: string,
  left: ProgramExpression,
  right: ProgramExpression,
): ProgramStatement {
  return { type: "assign", name, value: { type: "operation", operator, left, right } };
}
