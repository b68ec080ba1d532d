// The thread's side of running one program in QuickJS.
import { createQuickJsWorld } from "./quickjs-world.ts";
import type { ProgramResult, SandboxLimits } from "./types.ts";

export async function runQuickJsProgram(program: {
  source: string;
  stdin: string;
  limits: SandboxLimits;
}): Promise<Pick<ProgramResult, "exit" | "code" | "stdout" | "stderr">> {
  const world = await createQuickJsWorld(program.limits, program.stdin);
  const outcome = world.evaluate(program.source);
  const error = "error" in outcome ? outcome.error : undefined;
  return {
    exit: error?.exit ?? "ok",
    code: error?.code ?? 0,
    stdout: world.stdout(),
    stderr: world.stderr() + (error?.message ? `${error.name}: ${error.message}` : ""),
  };
}
