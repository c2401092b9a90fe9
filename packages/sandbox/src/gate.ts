import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  authenticate,
  newId,
  problemAnswer,
  refuse,
  Refused,
  writeAnswer,
  type Policy,
  type Random,
  type Service,
} from "@countersign/service";
import { readAbsentBodyAsEmpty } from "./empty-body.ts";
import { faultRouteOf, type Faults } from "./faults.ts";
import { guard } from "./guard.ts";
import { injectFault } from "./inject-fault.ts";
import type { Inspector } from "./inspector/inspector.ts";
import { namedClient } from "./named-client.ts";
import { refuseControl } from "./refusals.ts";
import type { Streams } from "./streams.ts";

export interface GateOptions {
  readonly service: Pick<Service, "app" | "driver" | "clock">;
  readonly policy: Policy;
  readonly random: Random;
  readonly faults: Faults;
  readonly streams: Streams;
  /** Default: there is no page. */
  readonly inspector: Inspector | undefined;
  /** See `guard`. */
  readonly allowedHosts: readonly string[];
}

/**
 * What stands before the service in a sandbox: the controls are guarded against web pages, the stream
 * is answered here, and faults happen to the calls of the interface.
 */
export function gate(options: GateOptions): RequestListener {
  return (request, response) => {
    pass(options, request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      const { refusal } = error instanceof Refused ? error : refuse("INTERNAL_SERVER_ERROR");
      const requestId = newId(options.random, "req");
      response.setHeader("x-request-id", requestId);
      writeAnswer(response, problemAnswer(options.policy, refusal, requestId));
    });
  };
}

async function pass(
  options: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (options.inspector !== undefined && isOfPage(pathOf(request.url ?? "/"))) {
    const refusal = guard(request, options.allowedHosts);
    if (refusal !== undefined) throw refuseControl(refusal);
    const goesOn = await options.inspector.take(request, response, pathOf(request.url ?? "/"));
    if (!goesOn) return;
  }
  const path = pathOf(request.url ?? "/");
  // In any case: what Express would not route is refused all the same.
  if (/^\/sandbox(?:\/|$)/i.test(path)) {
    const refusal = guard(request, options.allowedHosts);
    if (refusal !== undefined) throw refuseControl(refusal);
    if (path === "/sandbox/stream") {
      await stream(options, request, response);
      return;
    }
    readAbsentBodyAsEmpty(request);
  } else if (await isStopped(options, request, response, path)) {
    return;
  }
  options.service.app(request, response);
}

const isOfPage = (path: string): boolean => /^\/inspector(?:\/|$)/i.test(path);

/** Also of the absolute form, which Express routes by its path (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "").replace(/\?.*$/s, "");
}

async function stream(
  { service, streams }: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET") {
    throw refuse("METHOD_NOT_ALLOWED", { headers: { allow: "GET" } });
  }
  const { merchant } = await authenticate(service, request);
  const { "last-event-id": after } = request.headers;
  await streams.open(merchant.id, response, typeof after === "string" ? after : undefined);
}

/** Lets the fault happen that is next for this call; whether the call ends with it. */
async function isStopped(
  { service, faults, policy }: GateOptions,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<boolean> {
  const route = faultRouteOf({ method: request.method, path }, policy.token.path);
  if (route === undefined || faults.isEmpty) return false;
  const merchantId =
    route === "POST /v1/tokens"
      ? await merchantOfClient(service, await namedClient(request, policy))
      : await merchantOf(service, request);
  const fault = merchantId === undefined ? undefined : faults.take(merchantId, route);
  if (fault === undefined) return false;
  const injected = await injectFault(fault, request, response);
  if (injected.goesOn) return false;
  if (injected.refused !== undefined) throw injected.refused;
  return true;
}

/** Without a valid token there is no namespace and no fault: the service refuses the call by itself. */
async function merchantOf(
  service: GateOptions["service"],
  request: IncomingMessage,
): Promise<string | undefined> {
  try {
    return (await authenticate(service, request)).merchant.id;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** A call for a token has none yet: its namespace is that of the client that it names. */
async function merchantOfClient(
  { driver }: GateOptions["service"],
  clientId: string | undefined,
): Promise<string | undefined> {
  if (clientId === undefined) return undefined;
  const [client] = await driver.query<{ merchantId: string }>(
    `SELECT merchant_id AS "merchantId" FROM clients WHERE id = $1`,
    [clientId],
  );
  return client?.merchantId;
}
