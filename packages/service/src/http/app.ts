import express, { type Express, type IRoute, type RequestHandler } from "express";
import { newId } from "../ids.ts";
import { answerRefusals } from "./answer-refusals.ts";
import { getCustomerRoute } from "./customers.ts";
import { deprecationHeaders } from "./deprecation.ts";
import { setFacts } from "./facts.ts";
import { serveHealth, serveReadiness } from "./health.ts";
import type { HttpContext } from "./http-context.ts";
import { logCall } from "./log-call.ts";
import { postRefund } from "./refunds.ts";
import { refuse } from "./refuse.ts";
import type { Route } from "./route.ts";
import { serveDocument } from "./serve-document.ts";
import { serve } from "./serve.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { serveTokens } from "./tokens.ts";
import { postSubscribe, putUnsubscribe } from "./webhooks.ts";

/** Paths of routes, in Express's notation, each with its methods. */
export type Routes = Readonly<Record<string, readonly Route[]>>;

const interfaceRoutes: Routes = {
  "/v1/refunds": [postRefund],
  "/v1/customers/:customerId": [getCustomerRoute],
  "/v1/webhook/subscribe": [postSubscribe],
  "/v1/webhook/unsubscribe": [putUnsubscribe],
  "/v1/webhook/unsubscribe/:subscriptionId": [putUnsubscribe],
};

export interface AppOptions {
  /** Routes beside those of the interface. */
  readonly routes: Routes;
  /** Addresses and networks of proxies whose word on a call's source is taken. */
  readonly trustedProxies: readonly string[];
  /** Documents about the interface, by their paths. */
  readonly documents: Readonly<Record<string, object>>;
  /** See `serveMetrics`. */
  readonly metricsToken: string | undefined;
}

/**
 * The service's HTTP interface: the four calls of S 4, `POST /v1/tokens`, and `GET` of `/healthz`,
 * `/readyz`, `/metrics` and the documents. Every answer carries `x-request-id`; every refusal is a problem.
 */
export function createApp(context: HttpContext, options: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  // Paths are opaque and queries are read where they mean something.
  app.disable("query parser");
  app.set("trust proxy", [...options.trustedProxies]);

  app.use(withFacts(context));
  app.use(logCall(context));
  const on = (path: string, ...handlers: Handler[]): void => {
    const headers = deprecationHeaders(context.policy.deprecated, path);
    take(app.route(path), { headers, handlers });
  };
  on("/healthz", ["GET", serveHealth]);
  on("/readyz", ["GET", serveReadiness(context)]);
  const metrics = serveMetrics({ metrics: context.metrics, token: options.metricsToken });
  on("/metrics", ["GET", metrics]);
  for (const [path, document] of Object.entries(options.documents)) {
    on(path, ["GET", serveDocument(document)]);
  }
  on(context.policy.token.path, ["POST", serveTokens(context)]);
  for (const [path, methods] of Object.entries({ ...interfaceRoutes, ...options.routes })) {
    on(path, ...methods.map((route): Handler => [route.method, serve(context, route)]));
  }
  app.use(() => {
    throw refuse("NOT_FOUND");
  });
  app.use(answerRefusals(context));
  return app;
}

type Handler = readonly [method: Route["method"], handler: RequestHandler];

interface Taken {
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly handlers: readonly Handler[];
}

/** Takes a path's methods and answers every other one with 405 (RFC 9110, section 15.5.6). */
function take(route: IRoute, { headers, handlers }: Taken): void {
  const allowed: string[] = [];
  const fields = Object.entries(headers);
  if (fields.length > 0) {
    route.all((_request, response, next) => {
      for (const [name, value] of fields) response.setHeader(name, value);
      next();
    });
  }
  for (const [method, handler] of handlers) {
    switch (method) {
      case "GET":
        // Express answers HEAD from the same handler.
        route.get(handler);
        allowed.push("GET", "HEAD");
        break;
      case "POST":
        route.post(handler);
        allowed.push("POST");
        break;
      case "PUT":
        route.put(handler);
        allowed.push("PUT");
        break;
      default:
        method satisfies never;
    }
  }
  route.all(() => {
    throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: allowed.join(", ") } });
  });
}

function withFacts({ random, isDraining }: HttpContext): RequestHandler {
  return (_request, response, next) => {
    // A request id of the caller's is not taken over: it would be a stranger's text in our logs.
    const requestId = newId(random, "req");
    setFacts(response, { requestId, merchantId: undefined, errorCode: undefined });
    response.setHeader("x-request-id", requestId);
    // RFC 9112, section 9.6: the next call of a connection would meet a service that has gone.
    if (isDraining()) response.setHeader("connection", "close");
    next();
  };
}
