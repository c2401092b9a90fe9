import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Profile } from "@countersign/schemas/profiles";
import type { AttemptAnswer, PostRequest, Transport } from "@countersign/service/internal";
import { refuse } from "./refusals.ts";

/** Calls of the interface that can have faults; the first two concern payments. */
export const faultRoutes = [
  "POST /v1/refunds",
  "GET /v1/customers",
  "POST /v1/webhook/subscribe",
  "PUT /v1/webhook/unsubscribe",
  "POST /v1/tokens",
] as const;

/** Such calls that a profile has. */
export const faultRoutesOf = ({ payments }: Profile): readonly FaultRoute[] =>
  faultRoutes.slice(payments === true ? 0 : 2);

export type FaultRoute = (typeof faultRoutes)[number];

export interface Fault {
  /** A call of the interface, or `attempt`: one that the sandbox makes. */
  readonly route: FaultRoute | "attempt";
  /**
   * - `status`: the call is answered with `status` and has no effect
   * - `delay`: it is answered as usual, `delayMs` later
   * - `reset`: its connection is reset and the call has no effect
   * - `lost`: the call takes effect, and the connection is reset before the answer
   */
  readonly kind: "status" | "delay" | "reset" | "lost";
  /** 400 to 599; only with the kind `status`. */
  readonly status?: number;
  /** Milliseconds before anything else, 0 to 60 000. Default 0. */
  readonly delayMs?: number;
  /** Value of the answer's `Retry-After`, in seconds; only with the kind `status`. */
  readonly retryAfterSeconds?: number;
  /** The event whose attempts fail; only on the route `attempt`. Default: any. */
  readonly eventId?: string;
  /** Number of calls that fail, 1 to 1000. */
  readonly times: number;
}

/** Most faults of a namespace: each call looks through them. */
export const MOST_FAULTS = 100;

/** The faults of each namespace, in memory: a new process has none. */
export class Faults {
  readonly #ofMerchants = new Map<string, readonly Fault[]>();
  readonly #causes = new WeakMap<AttemptAnswer, Fault["kind"]>();

  /** Records that a fault produced an answer. */
  caused(answer: AttemptAnswer, kind: Fault["kind"]): AttemptAnswer {
    this.#causes.set(answer, kind);
    return answer;
  }

  /** Returns the kind of the fault that produced an answer; `undefined` if the receiver did. */
  causeOf(answer: AttemptAnswer): Fault["kind"] | undefined {
    return this.#causes.get(answer);
  }

  /** Namespaces whose calls are limited to the profile's rates. */
  readonly limited: Set<string> = new Set();

  /** True if no namespace has a fault or limits: calls need no inspection then. */
  get isEmpty(): boolean {
    return this.#ofMerchants.size === 0 && this.limited.size === 0;
  }

  /** Replaces all faults of a namespace. */
  set(merchantId: string, faults: readonly Fault[]): void {
    if (faults.length === 0) this.#ofMerchants.delete(merchantId);
    else this.#ofMerchants.set(merchantId, faults);
  }

  /** Adds a fault to those of a namespace; beyond `MOST_FAULTS` the oldest makes room. */
  add(merchantId: string, fault: Fault): void {
    this.set(merchantId, [...this.list(merchantId), fault].slice(-MOST_FAULTS));
  }

  list(merchantId: string): readonly Fault[] {
    return this.#ofMerchants.get(merchantId) ?? [];
  }

  /** Returns the first fault of a route for the next call, and counts it. @param eventId Of an attempt. */
  take(merchantId: string, route: Fault["route"], eventId?: string): Fault | undefined {
    const faults = this.list(merchantId);
    const fault = faults.find(
      (one) => one.route === route && (one.eventId === undefined || one.eventId === eventId),
    );
    if (fault === undefined) return undefined;
    const left = faults.map((one) => (one === fault ? { ...one, times: one.times - 1 } : one));
    this.set(
      merchantId,
      left.filter(({ times }) => times > 0),
    );
    return fault;
  }
}

/**
 * Returns the route that a call is made to, or `undefined` if no fault can be put on it.
 *
 * @param tokenPath Where the profile has `/v1/tokens`.
 */
export function faultRouteOf(
  method: string | undefined,
  path: string,
  tokenPath: string,
): FaultRoute | undefined {
  if (path === tokenPath) return method === "POST" ? "POST /v1/tokens" : undefined;
  const isCustomer = /^\/v1\/customers\/[^/]+$/.test(path);
  const called = `${method ?? ""} ${isCustomer ? "/v1/customers" : path}`;
  return faultRoutes.find(
    (route) => route === called || (route.startsWith("PUT") && called.startsWith(`${route}/`)),
  );
}

/**
 * Applies a fault to a call.
 *
 * @returns True if the service answers the call; with the fault `lost` into a connection that is reset.
 * @throws {Refused} `INJECTED_FAULT`, for the fault `status`.
 */
export async function injectFault(
  { kind, delayMs, status = 500, retryAfterSeconds: seconds }: Fault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (delayMs !== undefined) await setTimeout(delayMs);
  switch (kind) {
    case "delay":
      return true;
    case "status": {
      const headers = seconds === undefined ? {} : { "retry-after": String(seconds) };
      throw refuse("INJECTED_FAULT", { status, headers });
    }
    case "reset":
      request.socket.resetAndDestroy();
      return false;
    case "lost":
      // The answer is written once the work is committed: then it is dropped.
      response.end = () => {
        request.socket.resetAndDestroy();
        return response;
      };
      return true;
    default:
      return kind satisfies never;
  }
}

/** An attempt without an answer: a new object each time, since its cause is remembered. */
const unanswered = (
  code: Extract<AttemptAnswer, { kind: "unanswered" }>["code"],
): AttemptAnswer => ({ kind: "unanswered", code });

/**
 * Applies faults on the route `attempt`, as if the receiver failed: with `status` and
 * `reset` the receiver gets nothing, `delay` makes it slow, and with `lost` it does its work and its answer
 * does not arrive.
 *
 * @param deadlineMs Milliseconds after which an attempt is given up.
 */
export function faultyTransport(
  inner: Transport,
  { faults, deadlineMs }: { readonly faults: Faults; readonly deadlineMs: number },
): Transport {
  return {
    post: async (request) => {
      if (faults.isEmpty) return inner.post(request);
      const fault = faults.take(request.merchantId, "attempt", request.eventId);
      if (fault === undefined) return inner.post(request);
      return faults.caused(await happen(fault, request), fault.kind);
    },
    close: () => inner.close(),
  };

  async function happen(fault: Fault, request: PostRequest): Promise<AttemptAnswer> {
    const { delayMs = 0, kind, status = 500, retryAfterSeconds } = fault;
    await setTimeout(Math.min(delayMs, deadlineMs));
    if (delayMs >= deadlineMs) return unanswered("CS_ATTEMPT_TIMEOUT");
    switch (kind) {
      case "delay":
        return inner.post(request);
      case "status": {
        const retryAfter = retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds);
        return { kind: "answered", status, retryAfter, excerpt: "INJECTED_FAULT" };
      }
      case "reset":
        return unanswered("CS_ATTEMPT_CONNECTION_LOST");
      case "lost":
        await inner.post(request);
        return unanswered("CS_ATTEMPT_CONNECTION_LOST");
      default:
        return kind satisfies never;
    }
  }
}
