import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Answer as AttemptAnswer, PostRequest, Transport } from "../delivery/types.ts";
import type { Routes } from "../http/app.ts";
import {
  integer,
  invalid,
  list,
  object,
  oneOf,
  optional,
  text,
  type Reader,
} from "../http/readers.ts";
import { refuse } from "./refusals.ts";
import { get, put } from "./routes/call.ts";

/** Calls of the interface that can have faults. */
export const faultRoutes = [
  "POST /v1/refunds",
  "GET /v1/customers",
  "POST /v1/webhook/subscribe",
  "PUT /v1/webhook/unsubscribe",
] as const;

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
  /** Namespaces whose calls are limited to the profile's rates. */
  readonly limited: Set<string> = new Set();

  /** True if no namespace has a fault: calls need no inspection then. */
  get isEmpty(): boolean {
    return this.#ofMerchants.size === 0;
  }

  /** Replaces all faults of a namespace. */
  set(merchantId: string, faults: readonly Fault[]): void {
    if (faults.length === 0) this.#ofMerchants.delete(merchantId);
    else this.#ofMerchants.set(merchantId, faults);
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
    const left = fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
    this.set(
      merchantId,
      faults.flatMap((one) => (one === fault ? left : one)),
    );
    return fault;
  }
}

/** Returns the route that a call is made to, or `undefined` if no fault can be put on it. */
export function faultRouteOf(method: string | undefined, path: string): FaultRoute | undefined {
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

/** An answer, with the kind of the fault that produced it; without one the receiver did. */
export type FaultyAnswer = AttemptAnswer & { readonly fault?: Fault["kind"] };

const LOST: AttemptAnswer = { kind: "unanswered", code: "CS_ATTEMPT_CONNECTION_LOST" };

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
      const answer: FaultyAnswer = { ...(await happen(fault, request)), fault: fault.kind };
      return answer;
    },
    close: () => inner.close(),
  };

  async function happen(fault: Fault, request: PostRequest): Promise<AttemptAnswer> {
    const { delayMs = 0, kind, status = 500, retryAfterSeconds } = fault;
    await setTimeout(Math.min(delayMs, deadlineMs));
    if (delayMs >= deadlineMs) return { kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" };
    switch (kind) {
      case "delay":
        return inner.post(request);
      case "status": {
        const retryAfter = retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds);
        return { kind: "answered", status, retryAfter, excerpt: "INJECTED_FAULT" };
      }
      case "reset":
        return LOST;
      case "lost":
        await inner.post(request);
        return LOST;
      default:
        return kind satisfies never;
    }
  }
}

const members = object({
  route: oneOf(...faultRoutes, "attempt"),
  kind: oneOf("status", "delay", "reset", "lost"),
  status: optional(integer(400, 599)),
  delayMs: optional(integer(0, 60_000)),
  retryAfterSeconds: optional(integer(0, 86_400)),
  eventId: optional(text(255)),
  times: optional(integer(1, 1000)),
});

/** Refuses members that are missing for a kind, or that do not go with a kind or a route. */
const fault: Reader<Fault> = (value, place) => {
  const read = members(value, place);
  if (read === undefined || place.errors.length > 0) return undefined;
  const { route, kind, status, delayMs, retryAfterSeconds, eventId } = read;
  const isStatus = kind === "status";
  const misfits = {
    status: isStatus === (status === undefined),
    retryAfterSeconds: !isStatus && retryAfterSeconds !== undefined,
    delayMs: kind === "delay" && delayMs === undefined,
    eventId: route !== "attempt" && eventId !== undefined,
  };
  for (const [name, isMisfit] of Object.entries(misfits)) {
    const at = { ...place, pointer: `${place.pointer}/${name}` };
    if (isMisfit) invalid(at, `does not go with the kind ${kind} on ${route}`);
  }
  return { times: 1, ...read };
};

/** Lists the remaining faults, and replaces them. */
export const faultControls = (faults: Faults): Routes => ({
  "/sandbox/faults": [
    get(async ({ merchant }) => ({ faults: faults.list(merchant.id) })),
    put({ faults: list(fault, MOST_FAULTS) }, async ({ merchant }, order) => {
      faults.set(merchant.id, order.faults);
      return { faults: faults.list(merchant.id) };
    }),
  ],
});
