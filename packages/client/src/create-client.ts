import type {
  Customer,
  SubscribeRequest,
  SubscribeResponse,
  UnsubscribeRequest,
  UnsubscribeResponse,
} from "@countersign/schemas";
import { Pool } from "undici";
import { customerCall, subscribeCall, unsubscribeCall, type Prepared } from "./calls.ts";
import { ClientClosedError, RequestInvalidError, type CallName } from "./errors.ts";
import type { Wire } from "./exchange.ts";
import { settingsOf, type CallOptions, type ClientOptions, type Settings } from "./options.ts";
import { refundCall, type RefundAnswer, type RefundOrder } from "./refund.ts";
import { runCall } from "./run-call.ts";
import { Tokens, tokenSource } from "./tokens.ts";

/** The four calls of the interface. Every call rejects with a `ClientError`, or with a `TypeError` for an invalid option of the call. */
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
  const dispatcher = options.dispatcher ?? poolOf(settings);
  const wire: Wire = { dispatcher, settings };
  const issue = tokenSource(options, wire, closing);
  const tokens = new Tokens({ issue, now: settings.time.now });
  const running = { ...wire, tokens, closing };
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
