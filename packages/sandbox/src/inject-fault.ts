import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Refused } from "@countersign/service";
import type { Fault } from "./faults.ts";
import { refuseControl } from "./refusals.ts";

/** What a fault leaves of a call. */
export type Injected =
  /** The service answers; for the fault `lost` into a connection that is reset. */
  | { readonly goesOn: true }
  /** The service never hears of it; `refused` is answered, without it the connection is reset. */
  | { readonly goesOn: false; readonly refused?: Refused };

/** Lets a fault happen to a call. */
export async function injectFault(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Injected> {
  if (fault.delayMs !== undefined) await setTimeout(fault.delayMs);
  switch (fault.kind) {
    case "delay":
      return { goesOn: true };
    case "status":
      return { goesOn: false, refused: refusedWith(fault) };
    case "reset":
      request.socket.resetAndDestroy();
      return { goesOn: false };
    case "lost":
      loseAnswer(request, response);
      return { goesOn: true };
    default:
      return fault.kind satisfies never;
  }
}

function refusedWith({ status = 500, retryAfterSeconds }: Fault): Refused {
  return refuseControl("INJECTED_FAULT", {
    status,
    ...(retryAfterSeconds !== undefined && {
      headers: { "retry-after": String(retryAfterSeconds) },
    }),
  });
}

/** The answer is written once the work is committed: that is the moment in which it gets lost. */
function loseAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.end = () => {
    request.socket.resetAndDestroy();
    return response;
  };
}
