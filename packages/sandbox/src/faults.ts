/** The calls of the interface that a fault can be put on. */
export const faultRoutes = [
  "POST /v1/refunds",
  "GET /v1/customers",
  "POST /v1/webhook/subscribe",
  "PUT /v1/webhook/unsubscribe",
  "POST /v1/tokens",
] as const;

export type FaultRoute = (typeof faultRoutes)[number];

/** What a fault happens to: a call of the interface, or an attempt, which this side makes. */
export type FaultPlace = FaultRoute | "attempt";

/**
 * What happens to a call:
 *
 * - `status`: it is answered with `status` and does nothing
 * - `delay`: it is answered as ever, `delayMs` later
 * - `reset`: its connection is reset and it does nothing
 * - `lost`: it does its work, and the connection is reset before the answer
 */
export type FaultKind = "status" | "delay" | "reset" | "lost";

export interface Fault {
  readonly route: FaultPlace;
  readonly kind: FaultKind;
  /** 400 to 599; of kind `status` alone. */
  readonly status?: number | undefined;
  /** Milliseconds before anything else, 0 to 60 000. Default 0. */
  readonly delayMs?: number | undefined;
  /** Value of the answer's `Retry-After`, in seconds; of kind `status` alone. */
  readonly retryAfterSeconds?: number | undefined;
  /** How many calls it happens to, 1 to 1000. */
  readonly times: number;
}

/** The faults of each namespace, in memory: a new process has none. */
export class Faults {
  readonly #ofMerchants = new Map<string, Fault[]>();

  /** Whether a namespace has any: without, calls need not be looked at. */
  get isEmpty(): boolean {
    return this.#ofMerchants.size === 0;
  }

  /** Puts these in the place of all that a namespace has. */
  set(merchantId: string, faults: readonly Fault[]): void {
    if (faults.length === 0) this.#ofMerchants.delete(merchantId);
    else this.#ofMerchants.set(merchantId, [...faults]);
  }

  list(merchantId: string): readonly Fault[] {
    return this.#ofMerchants.get(merchantId) ?? [];
  }

  /** The fault that happens to the next call of a route, counted as happened. The first one first. */
  take(merchantId: string, route: FaultPlace): Fault | undefined {
    const faults = this.list(merchantId);
    const fault = faults.find((one) => one.route === route);
    if (fault === undefined) return undefined;
    const left = { ...fault, times: fault.times - 1 };
    this.set(
      merchantId,
      faults.flatMap((one) => (one !== fault ? [one] : left.times > 0 ? [left] : [])),
    );
    return fault;
  }
}

/**
 * The route that a call is made to; `undefined` where no fault can be put on it.
 *
 * @param tokenPath Where the profile has `/v1/tokens`.
 */
export function faultRouteOf(
  { method = "", path }: { readonly method: string | undefined; readonly path: string },
  tokenPath: string,
): FaultRoute | undefined {
  if (path === tokenPath) return method === "POST" ? "POST /v1/tokens" : undefined;
  const isCustomer = /^\/v1\/customers\/[^/]+$/.test(path);
  const called = `${method} ${isCustomer ? "/v1/customers" : path}`;
  return faultRoutes.find(
    (route) => route === called || (route.startsWith("PUT") && called.startsWith(`${route}/`)),
  );
}
