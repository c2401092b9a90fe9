import type {
  Customer,
  SubscribeRequest,
  SubscribeResponse,
  UnsubscribeRequest,
  UnsubscribeResponse,
} from "@countersign/schemas";
import { Pool } from "undici";
import { askToken } from "./ask-token.ts";
import type { Prepared } from "./call.ts";
import { customerCall } from "./calls/customer.ts";
import type { RefundOrder } from "./calls/refund-body.ts";
import { refundCall } from "./calls/refund.ts";
import { subscribeCall } from "./calls/subscribe.ts";
import { unsubscribeCall } from "./calls/unsubscribe.ts";
import { ClientClosedError, RequestInvalidError, type CallName } from "./errors.ts";
import type { Wire } from "./exchange.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { isBearerToken, ownToken } from "./own-token.ts";
import type { RefundAnswer } from "./refund-answer.ts";
import { runCall } from "./run-call.ts";
import { settingsOf, type Settings } from "./settings.ts";
import { Tokens, type Issue } from "./tokens.ts";

/** The four calls of the interface. Every call rejects with a `ClientError` and nothing else. */
export interface Client {
  /**
   * Requests a refund (S 4.1). If an answer is lost, the call is retried with the same
   * `requestKey`, and resolves to the one refund of that key.
   */
  readonly refund: (order: RefundOrder, options?: CallOptions) => Promise<RefundAnswer>;
  /** Reads a customer (S 4.2). */
  readonly customer: (customerId: string, options?: CallOptions) => Promise<Customer>;
  /** Subscribes a URL to events (S 4.3). Never retried: two calls make two subscriptions. */
  readonly subscribe: (
    request: SubscribeRequest,
    options?: CallOptions,
  ) => Promise<SubscribeResponse>;
  /** Ends the named part of a subscription, or all of it (S 4.4). */
  readonly unsubscribe: (
    request: UnsubscribeRequest,
    options?: CallOptions,
  ) => Promise<UnsubscribeResponse>;
  /** Accepts no more calls, lets running attempts end, and closes the connections. Idempotent. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * A client of one provider for one merchant. Connections and the access token are kept between calls;
 * make one and share it.
 *
 * @throws {TypeError} An option is invalid. The message omits its value, which may be a secret.
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options);
  const closed = new AbortController();
  const closing = closed.signal;
  const credentials = credentialsOf(options, settings);
  const dispatcher = options.dispatcher ?? poolOf(settings);
  const wire: Wire = { dispatcher, settings };
  const tokens = new Tokens({ issue: credentials(wire, closing), now: settings.time.now });
  const running = { settings, wire, tokens, closing };
  const underWay = new Set<Promise<unknown>>();

  const make = async <T>(
    name: CallName,
    prepare: () => Prepared<T>,
    callOptions: CallOptions = {},
  ): Promise<T> => {
    const facts = { call: name, attempts: 0, mayBeDone: false };
    if (closing.aborted) throw new ClientClosedError(facts);
    const prepared = prepare();
    if (!prepared.ok) throw new RequestInvalidError(prepared.errors, facts);
    const made = runCall(running, prepared.call, callOptions);
    underWay.add(made);
    try {
      return await made;
    } finally {
      underWay.delete(made);
    }
  };

  const close = async (): Promise<void> => {
    closed.abort();
    await Promise.allSettled(underWay);
    await tokens.settled();
    if (options.dispatcher === undefined) await dispatcher.close();
  };
  let closingDown: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => (closingDown ??= close());
  const { profile } = settings;
  return {
    refund: (order, at) => make("refund", () => refundCall(order, profile), at),
    customer: (customerId, at) => make("customer", () => customerCall(customerId), at),
    subscribe: (request, at) => make("subscribe", () => subscribeCall(request), at),
    unsubscribe: (request, at) => make("unsubscribe", () => unsubscribeCall(request, profile), at),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

function poolOf({ origin, limits, timeouts }: Settings): Pool {
  return new Pool(origin, {
    connections: limits.connections,
    // One exchange at a time: a second answer on a connection must not be taken for the answer to another call.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: timeouts.attemptMs },
  });
}

function credentialsOf(
  options: ClientOptions,
  settings: Settings,
): (wire: Wire, closing: AbortSignal) => Issue {
  const { token, clientId, clientSecret, scopes = [] } = options;
  if (token !== undefined) {
    if (clientId !== undefined || clientSecret !== undefined)
      throw new TypeError('client: either "token" or "clientId" and "clientSecret", not both');
    if (typeof token === "function") return (_, closing) => ownToken(token, settings, closing);
    if (!isBearerToken(token)) throw new TypeError('client: "token" is no access token');
    return () => async () => ({ ok: true, token, expiresAt: undefined });
  }
  if (!isCredential(clientId) || !isCredential(clientSecret))
    throw new TypeError('client: "clientId" and "clientSecret", or "token", are required');
  const { path } = settings.profile.token;
  return (wire, closing) => askToken(wire, { clientId, clientSecret, scopes, path }, closing);
}

function isCredential(text: unknown): text is string {
  return typeof text === "string" && text !== "";
}
