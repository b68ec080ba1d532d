// How good a run was, in the words of whoever asked: its own key's, or an admin's.

import { isTuttiError } from "../../base/errors.ts";
import { addFeedback } from "../../perform/feedback.ts";
import { badRequest, ObjectReader } from "../http/object-reader.ts";
import { toViewer } from "../reads/own-run.ts";
import type { Handler } from "../types.ts";
import { loadOwnRun } from "./runs.ts";

export const rateRun: Handler = async (context, visit) => {
  const { connection, key, id } = visit;
  const { body } = await context.uploads.read(connection, key);
  await loadOwnRun(context, key, id);
  const reader = new ObjectReader(body);
  const score = reader.number("score", { min: 0, max: 1 });
  if (score === undefined)
    throw badRequest('"score" must be a number from 0 (useless) to 1 (right).', "score");
  const text = (name: string) => {
    const value = reader.value(name);
    if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
    throw reader.wrong(name, "a text");
  };
  const said = { score, label: text("label"), comment: text("comment") };
  const store = await context.tutti.store();
  const { feedback } = await addFeedback(store, id, said, { keyId: toViewer(key) }).catch(
    (error: unknown) => {
      throw isTuttiError(error) && error.code === "usage" ? badRequest(error.message) : error;
    },
  );
  connection.json(200, { object: "run.feedback", run_id: id, data: feedback });
};
