// The routes of the gateway: those of every dialect, and those that are nobody's own. Each handler works on Node's own
// request and response (connection.ts), so that streams have back-pressure and bodies are relayed without a copy.

import type { IncomingMessage, ServerResponse } from "node:http";
import { TuttiError } from "../base/errors.ts";
import { Connection } from "../http/connection.ts";
import { serveCors } from "../http/cors.ts";
import { Router } from "../http/router.ts";
import { toTarget } from "../http/target.ts";
import type { GatewayContext } from "./context.ts";
import { type ServedRoute, serveRoute } from "./http/route.ts";
import { ACCOUNT_ROUTES } from "./passages/account.ts";
import { passForm } from "./passages/forms.ts";
import { FORMS, PASSAGES } from "./passages/passages.ts";
import { listModels, showHealth, showMetrics, showModel, showReadiness, showUsage } from "./routes/about.ts";
import { ask } from "./routes/ask.ts";
import { compareBenches, listBenches, showBench } from "./routes/benches.ts";
import { rateRun } from "./routes/feedback.ts";
import { createKey, listKeys, revokeKey, showSession } from "./routes/keys.ts";
import { servePage } from "./routes/page.ts";
import { showPool, showPoolDays } from "./routes/pool.ts";
import { cancelRun, listRuns, showMessages, showRun, streamEvents } from "./routes/runs.ts";
import { showShadow } from "./routes/shadow.ts";
import { listAllTrainings, showTraining, startTraining, stopTraining } from "./routes/trainings.ts";
import type { Dialect, Handler, Route, RouteAccess } from "./types.ts";

const route = (method: Route["method"], path: string, serve: Handler, access?: RouteAccess): Route => ({
  method,
  path,
  serve,
  access,
});

const ROUTES: readonly Route[] = [
  route("GET", "/v1/models", listModels),
  route("GET", "/v1/models/*id", showModel),
  route("GET", "/v1/usage", showUsage),
  route("GET", "/v1/shadow", showShadow, "admin"),
  route("GET", "/v1/runs", listRuns),
  route("GET", "/v1/runs/:id", showRun),
  route("GET", "/v1/runs/:id/events", streamEvents),
  route("GET", "/v1/runs/:id/messages", showMessages),
  route("POST", "/v1/runs/:id/cancel", cancelRun),
  route("POST", "/v1/runs/:id/feedback", rateRun),
  route("GET", "/v1/session", showSession),
  route("GET", "/v1/pool", showPool),
  route("GET", "/v1/pool/days", showPoolDays),
  route("GET", "/v1/trainings", listAllTrainings, "admin"),
  route("POST", "/v1/trainings", startTraining, "admin"),
  route("GET", "/v1/trainings/:id", showTraining, "admin"),
  route("POST", "/v1/trainings/:id/stop", stopTraining, "admin"),
  route("GET", "/v1/benches", listBenches, "admin"),
  route("GET", "/v1/benches/*id", showBench, "admin"),
  route("GET", "/v1/comparisons", compareBenches, "admin"),
  route("GET", "/v1/keys", listKeys, "admin"),
  route("POST", "/v1/keys", createKey, "admin"),
  route("DELETE", "/v1/keys/:id", revokeKey, "admin"),
  route("GET", "/metrics", showMetrics, "admin"),
];

/** Answers one request. Never rejects. */
export type App = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

export function createApp(context: GatewayContext): App {
  const { dialects } = context;
  const router = new Router<ServedRoute>();
  const add = ({ method, path, serve, access = "key" }: Route, rest: Partial<ServedRoute>) =>
    router.add(method, path, { name: path.replace("*", ":"), dialect: dialects[0]!, access, serve, ...rest });

  // Some clients write their base address with the version, some without.
  const addBoth = (each: Route, rest: Partial<ServedRoute>) => {
    for (const path of [each.path, each.path.replace(/^\/v1(?=\/)/, "")])
      add({ ...each, path }, { name: each.path.replace("*", ":"), ...rest });
  };

  for (const dialect of dialects) {
    const name = `/v1${dialect.path}`;
    for (const path of [name, dialect.path]) add(route("POST", path, ask), { dialect, name });
    for (const each of dialect.routes ?? []) addBoth(each, { dialect, serve: toGuarded(each) });
  }
  // A dialect of its own at the same address comes first.
  for (const [passages, serve] of [
    [PASSAGES, ask],
    [FORMS, passForm],
  ] as const)
    for (const dialect of passages.filter(({ path }) => !dialects.some((own) => own.path === path)))
      addBoth(route("POST", `/v1${dialect.path}`, serve), { dialect });
  for (const each of ACCOUNT_ROUTES)
    addBoth(each, { serve: each.method === "GET" ? toGuarded(each) : each.serve });
  for (const each of ROUTES) addBoth(each, { serve: toGuarded(each) });
  add(route("GET", "/health", showHealth, "open"), {});
  add(route("GET", "/ready", showReadiness, "open"), {});
  add(route("GET", "/", showStart, "open"), {});

  return async (incoming, outgoing) => {
    const { path, query } = toTarget(incoming.url ?? "");
    const method = incoming.method ?? "";
    const found = router.find(method, path) ?? router.find(method, toPlainPath(path));
    const connection = new Connection(incoming, outgoing);
    if (serveCors(connection, context.config.gateway.cors)) return;
    const served = found?.route ?? toUnknown(path);
    await serveRoute(context, connection, served, { id: found?.params.id ?? "", query });
  };

  function toUnknown(path: string): ServedRoute {
    return {
      name: "unknown",
      dialect: dialects.find((dialect) => isBelow(path, dialect)) ?? dialects[0]!,
      access: "open",
      async serve(_, visit) {
        if (!servePage(context.page, visit, path.slice(1)))
          throw notServed(visit.connection, path, router.methodsOf(path));
      },
    };
  }
}

/**
 * What asks no model is limited, also where it changes something: a run that is cancelled is shown whole. And what was
 * relayed a moment ago is a part of what is told.
 */
function toGuarded({ serve }: Route): Handler {
  return async (context, visit) => {
    context.readLimit.enter(visit.connection, visit.key);
    await context.journalBatch.flush();
    await serve(context, visit);
  };
}

/** A base address that ends in a slash leaves two of them, and some clients put one at the end. */
function toPlainPath(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;
}

/** A person gets the dashboard, a program what there is. */
const showStart: Handler = async ({ page, dialects }, visit) => {
  if (servePage(page, visit, "")) return;
  const endpoints = [...dialects.map(({ path }) => `/v1${path}`), "/v1/models", "/v1/runs", "/v1/usage"];
  visit.connection.json(200, { name: "tutti", endpoints });
};

/** Whose shape an error has where no route was found. */
function isBelow(path: string, dialect: Dialect): boolean {
  return `${path.replace(/^\/v1(?=\/)/, "")}/`.startsWith(`${dialect.path}/`);
}

function notServed(connection: Connection, path: string, methods: string[]): TuttiError {
  const { method = "" } = connection.incoming;
  const shown = path.slice(0, 100);
  if (methods.length === 0) return new TuttiError("not-found", `There is no route ${method} ${shown} here.`);
  connection.set({ allow: methods.join(", ") });
  const message = `${shown} takes ${methods.join(" or ")}, not ${method}.`;
  return new TuttiError("method-not-allowed", message);
}
