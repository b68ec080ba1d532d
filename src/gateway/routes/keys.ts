// The gateway's keys, looked after from the dashboard. A secret is in the answer that creates its key and nowhere
// else. The first key closes a gateway that was open, so it must be an admin's: whoever made it would otherwise have
// locked the dashboard, and could not even revoke it there. For the same reason the last admin's key stays.

import { TuttiError } from "../../base/errors.ts";
import { requireAdmin } from "../access/admin.ts";
import { BUDGET_WINDOWS } from "../access/budget-window.ts";
import { checkKeyNames } from "../access/key-names.ts";
import { toKeyState, toShownKey } from "../access/keys.ts";
import type { GatewayContext } from "../context.ts";
import type { CreatedKey, KeyWish, Session } from "../dashboard/types.ts";
import {
  badRequest,
  type Fields,
  readChoice,
  readFlag,
  readNumber,
  readOptionalList,
  readOptionalObject,
  readText,
  wrong,
} from "../dialect/fields.ts";
import { readBody } from "../http/body.ts";
import type { Visit } from "../http/route.ts";

const LAST_TIME = 8.64e15;

/** Who asks, and what they may: the first thing that the dashboard wants to know. */
export async function showSession(_: GatewayContext, { connection, key }: Visit): Promise<void> {
  const session: Session = {
    object: "session",
    isOpen: key === undefined,
    isAdmin: key?.isAdmin ?? true,
    ...(key && { key: { id: key.id, name: key.name, hint: key.hint } }),
  };
  connection.json(200, session);
}

export async function listKeys({ keys }: GatewayContext, visit: Visit): Promise<void> {
  requireAdmin(visit);
  const now = Date.now();
  visit.connection.json(200, { object: "list", data: keys.list().map((key) => toShownKey(key, now)) });
}

export async function createKey(context: GatewayContext, visit: Visit): Promise<void> {
  requireAdmin(visit);
  const { keys, config } = context;
  const wish = readKeyWish(await readBody(context, visit));
  checkKeyNames([...(wish.only ?? []), ...(wish.without ?? [])], config);
  const isFirst = keys.isEmpty();
  if (isFirst && wish.isAdmin === false)
    throw badRequest(
      "The first key closes this gateway to everybody without one, so it must be an admin's. Create others after it.",
      "isAdmin",
    );
  const { key, secret } = await keys.create({ ...wish, isAdmin: isFirst || (wish.isAdmin ?? false) });
  const created: CreatedKey = { object: "key", key: toShownKey(key, Date.now()), secret, isFirst };
  visit.connection.json(201, created, { "cache-control": "no-store" });
}

export async function revokeKey({ keys }: GatewayContext, visit: Visit): Promise<void> {
  requireAdmin(visit);
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
}

function readKeyWish(body: Fields): KeyWish {
  const isAdmin = readFlag(body, "isAdmin");
  const only = readNames(body, "only");
  const without = readNames(body, "without");
  const requestsPerMinute = readNumber(body, "requestsPerMinute", { min: 1, max: 1_000_000, isWhole: true });
  const concurrency = readNumber(body, "concurrency", { min: 1, max: 100_000, isWhole: true });
  const expiresAt = readNumber(body, "expiresAt", { min: Date.now(), max: LAST_TIME, isWhole: true });
  const budget = readOptionalObject(body, "budget");
  return {
    name: readText(body, "name").trim(),
    ...(isAdmin !== undefined && { isAdmin }),
    ...(only && { only }),
    ...(without && { without }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(concurrency !== undefined && { concurrency }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(budget && { budget: readBudget(budget) }),
  };
}

function readBudget(body: Fields): NonNullable<KeyWish["budget"]> {
  const usd = readNumber(body, "usd", { max: 1e9 }, "budget");
  const window = readChoice(body, "window", BUDGET_WINDOWS, "budget");
  if (usd === undefined || usd <= 0) throw wrong(body.usd, "an amount in dollars above 0", "budget.usd");
  if (!window) throw wrong(undefined, `one of ${BUDGET_WINDOWS.join(", ")}`, "budget.window");
  return { usd, window };
}

/** No names are no restriction. */
function readNames(body: Fields, name: "only" | "without"): string[] | undefined {
  const list = readOptionalList(body, name);
  if (!list || list.length === 0) return undefined;
  const isName = (each: unknown): each is string =>
    typeof each === "string" && /^[^\s\p{C}]{1,200}$/u.test(each);
  if (list.every(isName)) return [...new Set(list)];
  throw wrong(list, "a list of names of providers or workers", name);
}
