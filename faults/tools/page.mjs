// What came of the faults, as lines for a terminal and as the page in docs/experiments. Pure.

export function toLines(results) {
  const width = Math.max(...results.map(({ name }) => name.length), 5);
  return [
    `${"FAULT".padEnd(width)}  OK    SECONDS  RESULT`,
    ...results.map(
      ({ name, ok, skipped, seconds, result }) =>
        `${name.padEnd(width)}  ${skipped ? "skip" : ok ? "ok  " : "FAIL"}  ${String(seconds).padStart(7)}  ${skipped ?? result}`,
    ),
  ];
}

export function toPage(results, moments) {
  const all = results.flatMap(({ details }) => (details ? [details.figures] : []));
  const sum = (of) => all.reduce((total, figures) => total + (of(figures) ?? 0), 0);
  const kills = results.find(({ name }) => name === "kills")?.details?.figures;
  const seconds = results.reduce((total, result) => total + result.seconds, 0);
  const rows = [
    ["runs lost", sum(({ lost }) => lost)],
    ["finished steps paid twice", sum(({ paidTwice }) => paidTwice)],
    [
      "requests that got neither an answer nor a clear error",
      sum(({ unanswered, neither }) => unanswered ?? neither),
    ],
    ["budget overspent", `$${sum(({ overspentUsd }) => overspentUsd).toFixed(2)}`],
    [
      "billed by the provider and not in the journal",
      `$${sum(({ unjournaledUsd }) => unjournaledUsd).toFixed(2)}`,
    ],
  ];
  const faults = results.map(({ name, what, ok, skipped, result }) => [
    name,
    what,
    skipped ? "skipped" : ok ? "survived" : "**broken**",
    skipped ?? result,
  ]);
  return `# Faults that a service of several gateways survives

Written by \`npm run faults -- --moments ${moments} --write-docs\` (${seconds} s on two cores), which ends with 1 where a figure is not as it should be. With fewer moments it is a part of \`npm test\` (\`faults/faults.test.mjs\`).

Real gateway processes on a real Postgres, with a provider that keeps its own bill: it bills a request in full when it arrives, whatever becomes of the reply. Clients do what our guides tell them: one that named its request (an idempotency key, a response's id) comes back for that very answer at any gateway. Three books are compared at the end: the journal, the provider's bill, and what the clients were told.

${toTable(["over all faults", "figure"], rows)}

${
  kills
    ? `At ${moments} random moments (seeded) a gateway was killed with SIGKILL under load. Of the runs that others went on with, ${kills.leftInACall} had been left in the middle of a call and ${kills.leftBetweenCalls} between calls; ${kills.streamsCut} streams were cut while they were read. ${kills.finishedSteps.toLocaleString("en-US")} steps were finished in ${kills.runs.toLocaleString("en-US")} runs.\n\n`
    : ""
}${toTable(["fault", "what happens", "verdict", "result"], faults)}

A call that was cut off in the middle is asked again, and counts as spent at the most that it can have cost: a provider may have billed it. Only what was finished is never paid twice. Clocks are shifted inside the process (a preload that shifts \`Date\`), the network is cut by a proxy that swallows every byte, and the full disk is a small tmpfs, which needs root.

## What was found

- A run whose gateway had died was shown as \`failed\` by \`GET /v1/responses/{id}\` until another gateway went on with it, a second or two later. It is \`queued\` now.
- A gateway that was frozen for longer than its lease, and woke up after another one had ended the run, wrote to it again: nobody held the lease any more. A claim that is gone is a lost one now.
- What such a gateway could not write was kept and written later, when nothing refused it any more. A run that was taken over is left as it is now: the other one has counted what was under way.
- A run that the gateway which found it could not go on with (its worker was taken out of the config, its key revoked) was \`queued\` for ever at every other gateway. It has failed at all of them now, with the reason that its gateway ended.
- Where Postgres was away for longer than half a minute while a dead gateway's run was picked up, nobody picked it up any more. It is tried until the server is back.
- A wait that a dead gateway with another clock had noted held a run up for minutes. Whoever goes on waits by its own clock, and no longer than was to be waited.
- A gateway that was silent for long enough to lose a run, and then lived on, left it open for as long as it lived: the engine took it for performed there. It goes on with it itself now, if nobody else does. The same for a run that was given to a gateway at the very moment when Postgres went away.
- A turn of a tool loop whose gateway died before it had written anything could not be begun again for an hour. Each try is a workflow of its own now.
- Where Postgres had done what it was asked and the answer was lost, a turn, a place, a reservation or a relayed request was held by a gateway that did not know of it, for as long as it lived; and whoever asked for a turn again waited for itself. Each has a name of its own now, and is given back until that is written.
- \`tutti work\` on the same Postgres forgot gateways that had ended, and with them what they had handed over, if it looked before another gateway did. It looks after its own kind alone now.
- Of a run that was left each try to go on with it counted for its key's rate while its old process might have lived. Nobody is let in before.
- A request that was passed through under an idempotency key was paid for again when its repeat came to another gateway. Its reply is shared now.
- Frozen between writing down that it asks and asking, it asked somebody who had answered meanwhile. It looks at the age of its lease before it asks now. What is left is the time between that look and the first byte on its way.
`;
}

/** With columns of one width, as the formatter wants them. */
function toTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map((cell) => String(cell).replaceAll("|", "\\|")));
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at].length)));
  const toLine = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(" | ")} |`;
  return [
    toLine(cells[0]),
    toLine(widths.map((width) => "-".repeat(width))),
    ...cells.slice(1).map(toLine),
  ].join("\n");
}
