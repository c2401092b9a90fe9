import express, {
  type ErrorRequestHandler,
  type Express,
  type IRoute,
  type RequestHandler,
} from "express";
import { newId } from "../random.ts";
import { StoreUnavailableError } from "../store/driver.ts";
import {
  type Answer,
  checkBody,
  DefectiveAnswerError,
  problemAnswer,
  writeAnswer,
} from "./answer.ts";
import { factsOf, logCall, type LogFields, setFacts } from "./log.ts";
import { type Refusal, refuse, Refused } from "./problem.ts";
import { SenderGone } from "./request-bodies.ts";
import { type HttpContext, type Route, serve } from "./route.ts";
import { getCustomerRoute } from "./routes/customers.ts";
import { serveDocument, serveHealth, serveMetrics, serveReadiness } from "./routes/operations.ts";
import { postRefund } from "./routes/refunds.ts";
import { serveTokens } from "./routes/tokens.ts";
import { postSubscribe, putUnsubscribe } from "./routes/webhooks.ts";

/** Paths of routes, in Express's notation, each with its methods. */
export type Routes = Readonly<Record<string, readonly Route[]>>;

const paymentRoutes: Routes = {
  "/v1/refunds": [postRefund],
  "/v1/customers/:customerId": [getCustomerRoute],
};

const interfaceRoutes: Routes = {
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

  app.use(withFacts(context));
  app.use(logCall(context));
  if (context.rates !== undefined && options.trustedProxies.length === 0) {
    app.use(reportUntrustedProxy(context));
  }
  const on = (path: string, ...handlers: Handler[]): void => {
    take(app.route(path), handlers);
  };
  on("/healthz", ["GET", serveHealth]);
  on("/readyz", ["GET", serveReadiness(context)]);
  const metrics = serveMetrics({ metrics: context.metrics, token: options.metricsToken });
  on("/metrics", ["GET", metrics]);
  app.use(refuseExcess(context));
  for (const [path, make] of Object.entries(options.documents)) {
    on(path, ["GET", serveDocument(make)]);
  }
  on(context.policy.token.path, ["POST", serveTokens(context)]);
  const routes = {
    ...(context.policy.payments === true && paymentRoutes),
    ...interfaceRoutes,
    ...options.routes,
  };
  for (const [path, methods] of Object.entries(routes)) {
    on(path, ...methods.map((route): Handler => [route.method, serve(context, route)]));
  }
  app.use(() => {
    throw refuse("NOT_FOUND");
  });
  app.use(answerRefusals(context));
  return app;
}

type Handler = readonly [method: Route["method"], handler: RequestHandler];

/** Routes a path's methods and answers every other one with 405 (RFC 9110, section 15.5.6). */
function take(route: IRoute, handlers: readonly Handler[]): void {
  const allowed: string[] = [];
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

/**
 * Reports once that a call carries `X-Forwarded-For` although no proxy is trusted: the limits of wrong
 * credentials then count everyone behind the proxy as one source.
 */
function reportUntrustedProxy({ logger }: HttpContext): RequestHandler {
  let isReported = false;
  return (request, _response, next) => {
    if (!isReported && request.headers["x-forwarded-for"] !== undefined) {
      isReported = true;
      logger.warn(
        {},
        "X-Forwarded-For is ignored because no proxy is trusted; if your proxy sends it, name the proxy's address with --trust-proxy (option trustedProxies)",
      );
    }
    next();
  };
}

function withFacts({ random, isDraining }: HttpContext): RequestHandler {
  return (_request, response, next) => {
    // Not the caller's own request id, which would be a stranger's text in the log.
    const requestId = newId(random, "req");
    setFacts(response, { requestId, merchantId: undefined, errorCode: undefined });
    response.setHeader("x-request-id", requestId);
    // RFC 9112, section 9.6: the service will be gone at the connection's next call.
    if (isDraining()) response.setHeader("connection", "close");
    next();
  };
}

/** Answers a connection that the process has no descriptor to spare for. */
function refuseExcess({ isExcess }: HttpContext): RequestHandler {
  return (request, _response, next) => {
    if (!isExcess(request.socket)) return next();
    const headers = { "retry-after": "1", connection: "close" };
    throw refuse("SERVICE_UNAVAILABLE", { headers });
  };
}

/**
 * Answers every call that threw. A refusal is answered as it is; an error of this program becomes
 * `INTERNAL_SERVER_ERROR` and is described only in the log.
 */
function answerRefusals(context: HttpContext): ErrorRequestHandler {
  const { metrics } = context;
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, _request, response, _next) => {
    const facts = factsOf(response);
    const { refusal } = asRefused(error);
    const isGone = error instanceof SenderGone;
    if (refusal.status >= 500 && !isGone) logFailure(context, error, facts.requestId);
    // The caller is gone, or half of an answer is sent: Express would print to the console.
    if (isGone || response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof DefectiveAnswerError) metrics.answerWasDefective();
    facts.errorCode = refusal.code;
    writeAnswer(response, checkedAnswer(context, refusal, facts.requestId));
  };
}

function logFailure({ logger }: HttpContext, error: unknown, requestId: string): void {
  // A refusal is deliberate; the store's watch has logged its own failures.
  if (error instanceof Refused || error instanceof StoreUnavailableError) return;
  logger.error({ ...describe(error), requestId }, "call failed");
}

/** The problem of a refusal; if it does not match its schema, that of an internal error. */
function checkedAnswer(
  { policy, checksAnswers, logger, metrics }: HttpContext,
  refusal: Refusal,
  requestId: string,
): Answer {
  const answer = problemAnswer(policy, refusal, requestId);
  if (!checksAnswers) return answer;
  try {
    checkBody(policy, policy.statuses.errorBody === "flat" ? "flatError" : "problem", answer.body);
    return answer;
  } catch (error) {
    metrics.answerWasDefective();
    logger.error({ ...describe(error), requestId }, "call failed");
    return problemAnswer(policy, refuse("INTERNAL_SERVER_ERROR").refusal, requestId);
  }
}

function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  // The path has an invalid percent-encoding, so no route matches it.
  if (error instanceof URIError) return refuse("NOT_FOUND");
  if (error instanceof StoreUnavailableError) {
    return refuse("SERVICE_UNAVAILABLE", { headers: { "retry-after": "1" } });
  }
  return refuse("INTERNAL_SERVER_ERROR");
}

function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const defect = error instanceof DefectiveAnswerError ? { defect: error.defect } : {};
  return {
    ...defect,
    errorName: error.name,
    ...(error.stack !== undefined && { stack: error.stack }),
  };
}
