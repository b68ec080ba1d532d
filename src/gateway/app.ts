// The routes of the gateway. Each handler works on Node's own request and response (connection.ts), so that
// streams have back-pressure and bodies are relayed without a copy; Hono finds the route.

import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { TuttiError } from "../base/errors.ts";
import { Connection } from "../http/connection.ts";
import type { GatewayContext } from "./context.ts";
import { chatDialect } from "./dialect/chat/dialect.ts";
import { messagesDialect } from "./dialect/messages/dialect.ts";
import { countTokens } from "./dialect/messages/request.ts";
import { responsesDialect } from "./dialect/responses/dialect.ts";
import { type RouteOptions, serveRoute, type Visit } from "./http/route.ts";
import { listModels, showHealth, showMetrics, showModel, showReadiness, showUsage } from "./routes/about.ts";
import { ask, parseBody } from "./routes/ask.ts";
import { compareBenches, listBenches, showBench } from "./routes/benches.ts";
import { createKey, listKeys, revokeKey, showSession } from "./routes/keys.ts";
import { showMessages } from "./routes/messages-of-run.ts";
import { servePage } from "./routes/page.ts";
import { showPool, showPoolDays } from "./routes/pool.ts";
import { cancelResponse, deleteResponse, listInputItems, showResponse } from "./routes/responses.ts";
import { cancelRun, listRuns, showRun, streamEvents } from "./routes/runs.ts";
import { listAllTrainings, showTraining, startTraining, stopTraining } from "./routes/trainings.ts";
import type { Dialect } from "./types.ts";

type Env = { Bindings: HttpBindings };
type Work = (visit: Visit, c: Context<Env>) => Promise<void>;

export function createApp(context: GatewayContext): Hono<Env> {
  const app = new Hono<Env>();

  function serve(options: RouteOptions, work: Work) {
    return async (c: Context<Env>): Promise<Response> => {
      const connection = new Connection(c.env.incoming, c.env.outgoing);
      await serveRoute(context, connection, options, (visit) => work(visit, c));
      return RESPONSE_ALREADY_SENT;
    };
  }

  // Some clients write their base address with the version, some without.
  const doors: [string, Dialect][] = [
    ["/chat/completions", chatDialect],
    ["/responses", responsesDialect],
    ["/messages", messagesDialect],
  ];
  for (const [path, dialect] of doors)
    for (const prefix of ["/v1", ""])
      app.post(
        `${prefix}${path}`,
        serve({ name: `/v1${path}`, dialect }, (visit) => ask(context, visit, dialect)),
      );
  app.post(
    "/v1/messages/count_tokens",
    serve({ name: "/v1/messages/count_tokens", dialect: messagesDialect }, async ({ connection }) => {
      const body = parseBody(await connection.readBody(context.config.gateway.maxBodyBytes));
      connection.json(200, { input_tokens: countTokens(body) });
    }),
  );

  const response = (name: string) => ({ name: `/v1/responses/:id${name}`, dialect: responsesDialect });
  app.get(
    "/v1/responses/:id",
    serve(response(""), (visit, c) =>
      showResponse(context, visit, idOf(c), c.req.query("stream") === "true"),
    ),
  );
  app.delete(
    "/v1/responses/:id",
    serve(response(""), (visit, c) => deleteResponse(context, visit, idOf(c))),
  );
  app.post(
    "/v1/responses/:id/cancel",
    serve(response("/cancel"), (visit, c) => cancelResponse(context, visit, idOf(c))),
  );
  app.get(
    "/v1/responses/:id/input_items",
    serve(response("/input_items"), (visit, c) =>
      listInputItems(context, visit, idOf(c), c.req.query("order") === "asc" ? "asc" : "desc"),
    ),
  );

  type Plain = (
    context: GatewayContext,
    visit: Visit,
    id: string,
    query: Record<string, string>,
  ) => Promise<void>;
  /** Routes that are nobody's dialect: `:id` and the query are all that they read of the address. */
  const route = (method: "get" | "post" | "delete", path: string, work: Plain) =>
    app[method](
      path,
      serve({ name: path.replace("{.+}", "") }, async (visit, c) => {
        // What was relayed a moment ago is a part of what is told.
        await context.book.flush();
        await work(context, visit, idOf(c), c.req.query());
      }),
    );
  route("get", "/v1/models", listModels);
  route("get", "/v1/models/:id{.+}", showModel);
  route("get", "/v1/usage", (_, visit, __, query) => showUsage(context, visit, query));
  route("get", "/v1/runs", (_, visit, __, query) => listRuns(context, visit, query));
  route("get", "/v1/runs/:id", showRun);
  route("get", "/v1/runs/:id/events", streamEvents);
  route("get", "/v1/runs/:id/messages", showMessages);
  route("post", "/v1/runs/:id/cancel", cancelRun);
  route("get", "/v1/session", showSession);
  route("get", "/v1/pool", (_, visit, __, query) => showPool(context, visit, query));
  route("get", "/v1/pool/days", (_, visit, __, query) => showPoolDays(context, visit, query));
  route("get", "/v1/trainings", listAllTrainings);
  route("post", "/v1/trainings", startTraining);
  route("get", "/v1/trainings/:id", showTraining);
  route("post", "/v1/trainings/:id/stop", stopTraining);
  route("get", "/v1/benches", listBenches);
  route("get", "/v1/benches/:id{.+}", showBench);
  route("get", "/v1/comparisons", (_, visit, __, query) => compareBenches(context, visit, query));
  route("get", "/v1/keys", listKeys);
  route("post", "/v1/keys", createKey);
  route("delete", "/v1/keys/:id", revokeKey);
  route("get", "/metrics", showMetrics);

  const open = (name: string, work: (context: GatewayContext, visit: Visit) => Promise<void>) =>
    app.get(
      name,
      serve({ name, isOpen: true }, (visit) => work(context, visit)),
    );
  open("/health", showHealth);
  open("/ready", showReadiness);
  // A person gets the dashboard, a program what there is.
  open("/", async (_, visit) => {
    if (servePage(context.page, visit, "")) return;
    const endpoints = [...doors.map(([path]) => `/v1${path}`), "/v1/models", "/v1/runs", "/v1/usage"];
    visit.connection.json(200, { name: "tutti", endpoints });
  });

  app.notFound((c) => {
    const allowed = METHODS.filter((method) => app.router.match(method, c.req.path)[0].length > 0);
    const refuse = serve({ name: "unknown", isOpen: true, dialect: dialectOf(c.req.path) }, async (visit) => {
      if (servePage(context.page, visit, c.req.path.slice(1))) return;
      throw notServed(visit, allowed);
    });
    return refuse(c);
  });
  return app;
}

const METHODS = ["GET", "POST", "DELETE"];

/** Whose shape an error has where no route was found. */
function dialectOf(path: string): Dialect {
  const door = /^(?:\/v1)?\/(messages|responses)(?:\/|$)/.exec(path)?.[1];
  if (door === undefined) return chatDialect;
  return door === "messages" ? messagesDialect : responsesDialect;
}

function notServed({ connection }: Visit, allowed: string[]): TuttiError {
  const { method = "", url = "" } = connection.incoming;
  const path = url.split("?")[0]!.slice(0, 100);
  if (allowed.length === 0) return new TuttiError("not-found", `There is no route ${method} ${path} here.`);
  connection.set({ allow: allowed.join(", ") });
  const message = `${path} takes ${allowed.join(" or ")}, not ${method}.`;
  return new TuttiError("method-not-allowed", message);
}

function idOf(c: Context<Env>): string {
  return c.req.param("id") ?? "";
}
