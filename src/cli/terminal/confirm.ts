// A question at the terminal that is answered with yes or no.

import { createInterface } from "node:readline/promises";

/** Only a yes is a yes. */
export async function confirm(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const reply = await Promise.race([
      reader.question(`${question} yes or no: `),
      new Promise<string>((resolve) => reader.once("close", () => resolve("no"))),
    ]);
    return ["y", "yes"].includes(reply.trim().toLowerCase());
  } finally {
    reader.close();
  }
}
