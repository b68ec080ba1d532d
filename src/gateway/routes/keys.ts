// The gateway's keys, looked after from the dashboard. A secret is in the answer that creates its key and nowhere
// else. The first key closes a gateway that was open, so it must be an admin's: whoever made it would otherwise have
// locked the dashboard, and could not even revoke it there. For the same reason the last admin's key stays.

import { TuttiError } from "../../base/errors.ts";
import { BUDGET_WINDOWS } from "../access/budget-window.ts";
import { checkKeyNames } from "../access/key-names.ts";
import { toKeyState, toShownKey } from "../access/keys.ts";
import type { CreatedKey, DashboardSession, KeySettings } from "../dashboard/types.ts";
import { badRequest, ObjectReader } from "../http/object-reader.ts";
import type { Handler } from "../types.ts";

const LAST_TIME = 8.64e15;

/** Who asks, and what they may: the first thing that the dashboard wants to know. */
export const showSession: Handler = async (_, { connection, key }) => {
  const session: DashboardSession = {
    object: "session",
    isOpen: key === undefined,
    isAdmin: key?.isAdmin ?? true,
    key: key && { id: key.id, name: key.name, hint: key.hint },
  };
  connection.json(200, session);
};

export const listKeys: Handler = async ({ keys }, visit) => {
  const now = Date.now();
  visit.connection.json(200, { object: "list", data: keys.list().map((key) => toShownKey(key, now)) });
};

export const createKey: Handler = async (context, visit) => {
  const { keys, config } = context;
  const { body } = await context.uploads.read(visit.connection, visit.key);
  const settings = readSettings(new ObjectReader(body));
  checkKeyNames([...(settings.only ?? []), ...(settings.without ?? [])], config);
  const isFirst = keys.isEmpty();
  if (isFirst && settings.isAdmin === false)
    throw badRequest(
      "The first key closes this gateway to everybody without one, so it must be an admin's. Create others after it.",
      "isAdmin",
    );
  const { key, secret } = await keys.create({ ...settings, isAdmin: isFirst || (settings.isAdmin ?? false) });
  const created: CreatedKey = { object: "key", key: toShownKey(key, Date.now()), secret, isFirst };
  visit.connection.json(201, created, { "cache-control": "no-store" });
};

export const revokeKey: Handler = async ({ keys }, visit) => {
  const { id } = visit;
  const now = Date.now();
  const all = keys.list();
  if (!all.some((key) => key.id === id))
    throw new TuttiError("not-found", `There is no key "${id.slice(0, 60)}".`);
  const admins = all.filter((key) => key.isAdmin && toKeyState(key, now) === "active");
  if (admins.length === 1 && admins[0]!.id === id)
    throw new TuttiError(
      "conflict",
      `"${admins[0]!.name}" is the last key of an admin: without it nobody could use this page. Create another one first, or revoke it with: tutti keys revoke ${id}`,
    );
  visit.connection.json(200, toShownKey(await keys.revoke(id), now));
};

function readSettings(body: ObjectReader): KeySettings {
  const budget = body.optionalObject("budget");
  return {
    name: body.text("name").trim(),
    isAdmin: body.flag("isAdmin"),
    only: readNames(body, "only"),
    without: readNames(body, "without"),
    allowFields: readNames(body, "allowFields", "fields"),
    requestsPerMinute: body.number("requestsPerMinute", { min: 1, max: 1_000_000, isWhole: true }),
    concurrency: body.number("concurrency", { min: 1, max: 100_000, isWhole: true }),
    expiresAt: body.number("expiresAt", { min: Date.now(), max: LAST_TIME, isWhole: true }),
    budget: budget && readBudget(budget),
  };
}

function readBudget(budget: ObjectReader): NonNullable<KeySettings["budget"]> {
  const usd = budget.number("usd", { max: 1e9 });
  if (usd === undefined || usd <= 0) throw budget.wrong("usd", "an amount in dollars above 0");
  return { usd, window: budget.oneOf("window", BUDGET_WINDOWS) };
}

/** No names are no restriction. */
function readNames(
  body: ObjectReader,
  name: "only" | "without" | "allowFields",
  of = "providers or workers",
): string[] | undefined {
  const list = body.list(name);
  const isName = (each: unknown): each is string =>
    typeof each === "string" && /^[^\s\p{C}]{1,200}$/u.test(each);
  if (!list.every(isName)) throw body.wrong(name, `a list of names of ${of}`);
  return list.length === 0 ? undefined : [...new Set(list)];
}
