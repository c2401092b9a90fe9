import express, {
  type ErrorRequestHandler,
  type Express,
  type IRoute,
  type RequestHandler,
} from "express";
import { StoreUnavailableError } from "../store/driver.ts";
import { problemAnswer, writeAnswer } from "./answer.ts";
import { describeError, factsOf, logCall } from "./log.ts";
import { refuse, Refused } from "./problem.ts";
import { SenderGone } from "./request-bodies.ts";
import { type HttpContext, type Route, serve } from "./route.ts";
import { serveDocument, serveHealth, serveMetrics, serveReadiness } from "./routes/operations.ts";
import { getCustomerRoute, postRefund } from "./routes/payments.ts";
import { serveTokens } from "./routes/tokens.ts";
import { getEvents, postSubscribe, putUnsubscribe } from "./routes/webhooks.ts";

/** Paths of routes, in Express's notation, each with its methods. */
export type Routes = Readonly<Record<string, readonly Route[]>>;

const interfaceRoutes: Routes = {
  "/v1/refunds": [postRefund],
  "/v1/customers/:customerId": [getCustomerRoute],
  "/v1/events": [getEvents],
  "/v1/webhook/subscribe": [postSubscribe],
  "/v1/webhook/unsubscribe": [putUnsubscribe],
  "/v1/webhook/unsubscribe/:subscriptionId": [putUnsubscribe],
};

export interface AppOptions {
  /** Routes in addition to those of the interface. */
  readonly routes: Routes;
  /** Addresses and networks of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Documents about the interface, by path; each is made when it is first read. */
  readonly documents: Readonly<Record<string, () => object>>;
  /** See `serveMetrics`. */
  readonly metricsToken: string | undefined;
}

/**
 * Creates the service's HTTP interface: the profile's calls of S 4, `POST /v1/tokens`, and `GET` of `/healthz`, `/readyz`,
 * `/metrics` and the documents. Every answer has `x-request-id`; every refusal is a problem.
 */
export function createApp(context: HttpContext, options: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  // A route that has a query reads it itself.
  app.disable("query parser");
  app.set("trust proxy", [...options.trustedProxies]);

  app.use(logCall(context));
  const on = (path: string, ...handlers: Handler[]): void => take(app.route(path), handlers);
  on("/healthz", ["GET", serveHealth]);
  on("/readyz", ["GET", serveReadiness(context)]);
  on("/metrics", ["GET", serveMetrics(context.metrics, options.metricsToken)]);
  for (const [path, make] of Object.entries(options.documents))
    on(path, ["GET", serveDocument(make)]);
  on(context.policy.token.path, ["POST", serveTokens(context)]);
  for (const [path, methods] of Object.entries({ ...interfaceRoutes, ...options.routes }))
    on(path, ...methods.map((route): Handler => [route.method, serve(context, route)]));
  app.use(() => {
    throw refuse("NOT_FOUND");
  });
  app.use(answerRefusals(context));
  return app;
}

type Handler = readonly [method: Route["method"], handler: RequestHandler];

const verbs = { GET: "get", POST: "post", PUT: "put" } as const;

/** Routes a path's methods and answers every other one with 405 (RFC 9110, section 15.5.6). */
function take(route: IRoute, handlers: readonly Handler[]): void {
  for (const [method, handler] of handlers) route[verbs[method]](handler);
  // Express answers HEAD from the handler of GET.
  const allow = handlers.map(([method]) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
  route.all(() => {
    throw refuse("METHOD_NOT_ALLOWED", { headers: { allow } });
  });
}

/** Answers every call that threw. An error of this program is described only in the log. */
function answerRefusals(context: HttpContext): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, _request, response, _next) => {
    const facts = factsOf(response);
    const { refusal } = asRefused(error);
    const isGone = error instanceof SenderGone;
    // A refusal is deliberate; the store's watch has logged its own failures.
    const isKnown = isGone || error instanceof Refused || error instanceof StoreUnavailableError;
    if (refusal.status >= 500 && !isKnown)
      context.logger.error({ ...describeError(error), requestId: facts.requestId }, "call failed");
    // The caller is gone, or half of an answer is sent: Express would print to the console.
    if (isGone || response.headersSent || response.destroyed) response.destroy();
    else {
      facts.errorCode = refusal.code;
      writeAnswer(response, problemAnswer(context.policy, refusal, facts.requestId));
    }
  };
}

function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  // The path has an invalid percent-encoding, so no route matches it.
  if (error instanceof URIError) return refuse("NOT_FOUND");
  if (error instanceof StoreUnavailableError) {
    const headers = { "retry-after": "1" };
    if (error.outcome === "undone") return refuse("SERVICE_UNAVAILABLE", { headers });
    const message = "The service may have stored the call; repeat it with the same values.";
    return refuse("SERVICE_UNAVAILABLE", { message, headers });
  }
  return refuse("INTERNAL_SERVER_ERROR");
}
