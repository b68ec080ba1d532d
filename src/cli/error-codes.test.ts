// What each error code does where it arrives: in the performer, in bench and training, in the command and in the
// gateway. The table was printed once and read line by line: whoever changes base/error-codes.ts sees here what that changes.

import { expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../base/error-codes.ts";
import { TuttiError } from "../base/errors.ts";
import { toMessagesError } from "../gateway/dialect/messages/reply.ts";
import { toOpenAIError } from "../gateway/dialect/openai-error.ts";
import { toFailedSpending } from "../perform/budget.ts";
import { performRun } from "../perform/driver.ts";
import { CircuitBreaker, retryDelay } from "../perform/retry.ts";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { toPerformedTask } from "../world/perform-task.ts";
import { reportError } from "./report-error.ts";

// code | retry: asked again | circuit: failures until it opens | spending | outage | exit | OpenAI, Anthropic status
const EXPECTED = `
usage                 once   -              no-call     -       exit-2  400  400
bad-request           once   -              if-written  -       exit-1  400  400
forbidden             once   -              no-call     -       exit-1  403  403
unknown-model         once   -              no-call     -       exit-1  404  404
not-found             once   -              no-call     -       exit-1  404  404
unknown-run           once   -              no-call     -       exit-1  404  404
method-not-allowed    once   -              no-call     -       exit-1  405  405
conflict              once   -              no-call     -       exit-1  409  409
run-active            once   -              no-call     -       exit-1  409  409
run-busy              once   -              no-call     -       exit-1  409  409
upload-timeout        once   -              no-call     -       exit-1  408  408
too-large             once   -              no-call     -       exit-1  413  413
rate-limited          again  opens-after-3  if-written  outage  exit-1  429  429
budget-spent          once   -              no-call     outage  exit-1  429  402
no-worker             once   -              no-call     outage  exit-1  503  529
not-in-rehearsal      once   -              no-call     -       exit-1  422  422
overloaded            again  -              billed      outage  exit-1  503  529
auth                  once   opens-after-1  if-written  outage  exit-1  401  401
worker-auth           once   -              billed      -       exit-1  502  502
unreachable           again  opens-after-3  if-written  outage  exit-1  503  529
timeout               again  opens-after-3  billed      outage  exit-1  504  504
stream-cut            again  opens-after-3  billed      outage  exit-1  502  502
bad-response          again  opens-after-3  if-written  outage  exit-1  502  502
undeclared-tool       once   -              billed      -       exit-1  502  502
endless-reply         once   opens-after-3  billed      -       exit-1  502  502
provider-error        again  opens-after-3  if-written  -       exit-1  502  502
worker-fault          once   -              billed      outage  exit-1  502  502
conductor-fault       once   -              billed      outage  exit-1  502  502
context-length        once   -              if-written  -       exit-1  400  400
content-filter        once   -              billed      -       exit-1  400  400
empty-reply           once   -              billed      -       exit-1  502  502
invalid-output        once   -              billed      -       exit-1  422  422
nested-failed         once   -              billed      -       exit-1  502  502
nothing-to-vote       once   -              no-call     -       exit-1  502  502
unknown-worker        once   -              no-call     -       exit-1  502  502
no-model              once   -              no-call     -       exit-1  502  502
limit                 once   -              billed      -       exit-1  422  422
aborted               once   -              billed      -       exit-1  499  499
cancelled             once   -              billed      -       exit-1  499  499
interrupted           again  -              billed      outage  exit-1  502  502
too-deep              once   -              no-call     -       exit-1  500  500
not-recorded          once   -              no-call     -       exit-1  500  500
handoff-not-recorded  once   -              no-call     -       exit-1  500  500
no-more-samples       once   -              no-call     -       exit-1  500  500
journal-failed        once   -              no-call     -       exit-1  500  500
journal-damaged       once   -              no-call     -       exit-1  500  500
journal-version       once   -              no-call     -       exit-1  500  500
run-over              once   -              no-call     -       exit-1  500  500
ambiguous-run         once   -              no-call     -       exit-1  500  500
untrusted-config      once   -              no-call     -       exit-2  500  500
bad-file              once   -              no-call     -       exit-1  500  500
write-failed          once   -              no-call     -       exit-1  500  500
cannot-write          once   -              no-call     -       exit-1  500  500
cache-active          once   -              no-call     -       exit-1  500  500
cache-failed          once   -              billed      -       exit-1  500  500
keys-busy             once   -              no-call     -       exit-1  500  500
keys-damaged          once   -              no-call     -       exit-1  500  500
keys-not-written      once   -              no-call     -       exit-1  500  500
unknown-key           once   -              no-call     -       exit-1  500  500
port-taken            once   -              no-call     -       exit-1  500  500
port-refused          once   -              no-call     -       exit-1  500  500
no-interface          once   -              no-call     -       exit-1  500  500
client-left           once   -              no-call     -       exit-1  500  500
no-route              once   -              no-call     -       exit-1  500  500
bad-method            once   -              no-call     -       exit-1  500  500
stopping              once   -              no-call     -       exit-1  500  500
unknown-label         once   -              no-call     -       exit-1  500  500
no-reward             once   -              no-call     -       exit-1  500  500
cannot-grade          once   -              no-call     -       exit-1  500  500
sandbox-missing       once   -              no-call     -       exit-1  500  500
sandbox-failed        again  -              no-call     outage  exit-1  500  500
test-in-training      once   -              no-call     -       exit-1  500  500
recording-active      once   -              no-call     -       exit-1  500  500
bad-checkpoint        once   -              no-call     -       exit-1  500  500
bad-tokenizer         once   -              no-call     -       exit-1  500  500
bad-graph             once   -              no-call     -       exit-1  500  500
no-engine             once   -              no-call     -       exit-1  500  500
not-finite            once   -              no-call     -       exit-1  500  500
pool-too-large        once   -              no-call     -       exit-1  500  500
bad-training          once   -              no-call     -       exit-1  500  500
other-version         once   -              no-call     -       exit-1  500  500
training-active       once   -              no-call     -       exit-1  500  500
training-failed       once   -              no-call     -       exit-1  500  500
internal              once   -              billed      -       exit-1  500  500
unexpected            once   -              no-call     -       exit-1  500  500
`;

it.each(EXPECTED.trim().split("\n"))("%s", async (line) => {
  const [code = ""] = line.split(" ");
  expect(await describeCode(code as ErrorCode)).toBe(line.replace(/ +/g, " "));
});

it("has a line for every code", () => {
  const codes = EXPECTED.trim()
    .split("\n")
    .map((line) => line.split(" ")[0]);
  expect(codes).toEqual(Object.keys(ERROR_CODES));
});

async function describeCode(code: ErrorCode): Promise<string> {
  const error = new TuttiError(code, "it failed");
  return [
    code,
    retryDelay(error, 1, 2, 0, 60_000) === undefined ? "once" : "again",
    failuresToOpen(error),
    toBilling(error),
    (await isOutage(code)) ? "outage" : "-",
    `exit-${reportError(error, false, { stdout: { write() {} }, stderr: { write() {} }, env: {} })}`,
    toOpenAIError(error).status,
    toMessagesError(error).status,
  ].join(" ");
}

function failuresToOpen(error: TuttiError): string {
  const breaker = new CircuitBreaker();
  for (let failures = 1; failures <= 3; failures++) {
    breaker.failed("a", error);
    if (!breaker.isAvailable("a")) return `opens-after-${failures}`;
  }
  return "-";
}

function toBilling(error: TuttiError): string {
  const entry = { kind: "model" as const, price: { inputUsd: 1, outputUsd: 1 } };
  const bill = (written: string) =>
    toFailedSpending(entry, error, { inputTokens: () => 10, written, maxOutputTokens: 20 });
  if (bill("x").calls === 0) return "no-call";
  return bill("").costUsd === 0 ? "if-written" : "billed";
}

/** Where asking again would not help (`aborted` is what our own stopping says): what is retryable is an outage in any case. */
async function isOutage(code: ErrorCode): Promise<boolean> {
  if (code === "aborted") return false;
  const failing = scriptedWorker("a", () => new TuttiError(code, "it failed", { retryable: false }));
  const pool = toPool([failing]);
  const conductor = playedConductor({ steps: [step(0, "solve it")] });
  const state = await performRun(toStart(pool), toStage(pool, conductor));
  return toPerformedTask(state, { score: 0, why: "" }).isOutage;
}
