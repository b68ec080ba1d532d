// A form with a file for one model: audio to write down, a picture to change. Passed through as it came, but for the name of
// the model.

import { hash } from "node:crypto";
import { relayTargetOf } from "../../config/endpoint.ts";
import { badRequest } from "../http/object-reader.ts";
import { toUpstream } from "../relay/target.ts";
import { checkRoom } from "../routes/ask.ts";
import { passThrough } from "../routes/pass-through.ts";
import type { Handler } from "../types.ts";
import { boundaryOf, findFields, replaceField } from "./multipart.ts";

export const passForm: Handler = async (context, visit) => {
  const { connection, key, dialect, notes } = visit;
  checkRoom(context);
  const raw = await context.uploads.readRaw(connection, key);
  const boundary = boundaryOf(connection.header("content-type"));
  if (boundary === undefined) throw badRequest("The body must be a form (multipart/form-data).");
  const [field, ...others] = findFields(raw, boundary, "model");
  const model = field?.value.trim();
  if (!field || !model || others.length > 0) throw badRequest('The form needs one field "model".', "model");
  notes.model = model;
  const named = await context.models.resolve(model, key, { preferences: {} });
  if (named.alias !== undefined) connection.set({ "x-tutti-alias": named.alias });
  const target =
    named.kind === "worker" ? relayTargetOf(named.member.worker, hash("sha256", raw)) : undefined;
  const upstream = target && toUpstream(target, dialect);
  if (named.kind !== "worker" || !target || !upstream || !dialect.relay)
    throw badRequest(`"${model.slice(0, 80)}" takes no requests to /v1${dialect.path}.`, "model");
  notes.modelKind = "relay";
  const sent = replaceField(raw, field, target.model);
  const { member } = named;
  const asked = { dialect, reader: dialect.relay, raw: sent, body: { model }, member, target, upstream };
  await passThrough(context, visit, { ...asked, isForm: true });
};
