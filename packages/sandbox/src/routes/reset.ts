import { writtenTime, type Route } from "@countersign/service";
import { emptyNamespace } from "../empty-namespace.ts";
import { optional, readMembers } from "../members.ts";
import type { Parts } from "../parts.ts";
import { timeWithin } from "../time.ts";

/**
 * `POST /sandbox/reset`: empties the namespace, its faults included, and sets its clock to `now` or
 * real time. Its tokens and its client stay.
 */
export const postReset = ({ engine, faults, onReset }: Parts): Route => ({
  method: "POST",
  scope: undefined,
  answer: async ({ context, merchant, body }) => {
    const order = readMembers(body, { now: optional(timeWithin(context.policy)) });
    const instant = order.now ?? context.clock.now();
    await engine.betweenMoves(merchant.clockId, () =>
      context.driver.transaction((tx) => emptyNamespace(tx, merchant, instant)),
    );
    faults.set(merchant.id, []);
    onReset(merchant.id);
    return { status: 200, body: { now: writtenTime(instant) } };
  },
});
