import { setTimeout } from "node:timers/promises";
import type { AttemptAnswer, PostRequest, Transport } from "@countersign/service";
import type { Fault, Faults } from "./faults.ts";

export interface FaultyTransportOptions {
  readonly faults: Faults;
  /** Milliseconds after which an attempt is given up. */
  readonly deadlineMs: number;
}

const LOST: AttemptAnswer = { kind: "unanswered", code: "CS_ATTEMPT_CONNECTION_LOST" };

/**
 * Lets faults on the route `attempt` happen, as if the merchant's side were at fault: with `status` and
 * `reset` the receiver hears of nothing, `delay` makes it slow, and with `lost` it does its work and its
 * answer does not arrive.
 */
export function faultyTransport(
  inner: Transport,
  { faults, deadlineMs }: FaultyTransportOptions,
): Transport {
  return {
    post: async (request) => {
      const { merchantId } = request;
      if (faults.isEmpty || merchantId === undefined) return inner.post(request);
      const fault = faults.take(merchantId, "attempt");
      return fault === undefined ? inner.post(request) : happen(fault, request);
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
