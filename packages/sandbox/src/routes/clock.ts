import {
  instantOf,
  refuse,
  refuseMembers,
  writtenTime,
  type Call,
  type Route,
} from "@countersign/service";
import { optional, readMembers } from "../members.ts";
import type { Parts } from "../parts.ts";
import { refuseControl } from "../refusals.ts";
import { lastInstant } from "../last-instant.ts";
import { duration, timeWithin } from "../time.ts";

/** `GET /sandbox/clock`: what the namespace's clock shows. */
export const getClock: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => ({ status: 200, body: { now: writtenTime(await nowOf(call)) } }),
};

/**
 * `PUT /sandbox/clock`: `{"now": TIME}` or `{"advance": DURATION}`. Answers when everything that came
 * to be due on the way has been carried out, attempts of deliveries included.
 */
export const putClock = ({ engine }: Parts): Route => ({
  method: "PUT",
  scope: undefined,
  answer: async (call) => {
    const { policy } = call.context;
    const order = readMembers(call.body, {
      now: optional(timeWithin(policy)),
      advance: optional(duration),
    });
    if ((order.now === undefined) === (order.advance === undefined)) {
      const message = "one of now and advance is required, not both";
      throw refuseMembers([{ pointer: "/now", code: "INVALID_VALUE", message }]);
    }
    const outcome = await engine.advanceClock(call.merchant.clockId, (now) => {
      const to = order.now ?? now + (order.advance ?? 0);
      if (to > lastInstant(policy)) throw refuseControl("CLOCK_OUT_OF_RANGE");
      return to;
    });
    if (!outcome.ok) {
      throw outcome.code === "ENGINE_STOPPED"
        ? refuse("SERVICE_UNAVAILABLE")
        : refuseControl(outcome.code);
    }
    const instants = outcome.instants.map(writtenTime);
    return { status: 200, body: { now: writtenTime(outcome.now), instants } };
  },
});

function nowOf({ context, merchant }: Call): Promise<number> {
  return instantOf(context.driver, context.clock, merchant.clockId);
}
