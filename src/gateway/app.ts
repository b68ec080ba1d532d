// The routes of the gateway. Each handler works on Node's own request and response (connection.ts), so that
// streams have back-pressure and bodies are relayed without a copy; Hono finds the route.

import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { TuttiError } from "../errors.ts";
import { Connection } from "./connection.ts";
import type { GatewayContext } from "./context.ts";
import { chatDialect } from "./dialect/chat.ts";
import { messagesDialect } from "./dialect/messages.ts";
import { countTokens } from "./dialect/messages-request.ts";
import { responsesDialect } from "./dialect/responses.ts";
import { type RouteOptions, serveRoute, type Visit } from "./route.ts";
import { listModels, showHealth, showMetrics, showModel, showReadiness, showUsage } from "./routes/about.ts";
import { ask, parseBody } from "./routes/ask.ts";
import { cancelResponse, deleteResponse, listInputItems, showResponse } from "./routes/responses.ts";
import { cancelRun, listRuns, showRun, streamEvents } from "./routes/runs.ts";
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

  app.get(
    "/v1/models",
    serve({ name: "/v1/models" }, (visit) => listModels(context, visit)),
  );
  app.get(
    "/v1/models/:id{.+}",
    serve({ name: "/v1/models/:id" }, (visit, c) => showModel(context, visit, idOf(c))),
  );
  app.get(
    "/v1/usage",
    serve({ name: "/v1/usage" }, (visit, c) => showUsage(context, visit, c.req.query())),
  );
  app.get(
    "/v1/runs",
    serve({ name: "/v1/runs" }, (visit, c) => listRuns(context, visit, c.req.query())),
  );
  app.get(
    "/v1/runs/:id",
    serve({ name: "/v1/runs/:id" }, (visit, c) => showRun(context, visit, idOf(c))),
  );
  app.get(
    "/v1/runs/:id/events",
    serve({ name: "/v1/runs/:id/events" }, (visit, c) => streamEvents(context, visit, idOf(c))),
  );
  app.post(
    "/v1/runs/:id/cancel",
    serve({ name: "/v1/runs/:id/cancel" }, (visit, c) => cancelRun(context, visit, idOf(c))),
  );

  const open = (name: string, work: (context: GatewayContext, visit: Visit) => Promise<void>) =>
    app.get(
      name,
      serve({ name, isOpen: true }, (visit) => work(context, visit)),
    );
  open("/health", showHealth);
  open("/ready", showReadiness);
  app.get(
    "/metrics",
    serve({ name: "/metrics" }, (visit) => showMetrics(context, visit)),
  );
  open("/", async (_, { connection }) =>
    connection.json(200, {
      name: "tutti",
      endpoints: [
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/v1/models",
        "/v1/runs",
        "/v1/usage",
      ],
    }),
  );

  app.notFound((c) => {
    const allowed = METHODS.filter((method) => app.router.match(method, c.req.path)[0].length > 0);
    const refuse = serve({ name: "unknown", isOpen: true, dialect: dialectOf(c.req.path) }, async (visit) => {
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
  if (allowed.length === 0)
    return new TuttiError("not-found", `There is no route ${method} ${path} here.`, { status: 404 });
  connection.set({ allow: allowed.join(", ") });
  const message = `${path} takes ${allowed.join(" or ")}, not ${method}.`;
  return new TuttiError("method-not-allowed", message, { status: 405 });
}

function idOf(c: Context<Env>): string {
  return c.req.param("id") ?? "";
}
