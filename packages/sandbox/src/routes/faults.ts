import { refuseMembers, type MemberError, type Route } from "@countersign/service";
import { faultRoutes, type Fault } from "../faults.ts";
import { integer, list, object, oneOf, optional, readMembers, required } from "../members.ts";
import type { Parts } from "../parts.ts";

const fault = object({
  route: required(oneOf(...faultRoutes, "attempt")),
  kind: required(oneOf("status", "delay", "reset", "lost")),
  status: optional(integer({ min: 400, max: 599 })),
  delayMs: optional(integer({ min: 0, max: 60_000 })),
  retryAfterSeconds: optional(integer({ min: 0, max: 86_400 })),
  times: optional(integer({ min: 1, max: 1000 })),
});

/** `GET /sandbox/faults`: those that have not happened yet. */
export const getFaults = ({ faults }: Parts): Route => ({
  method: "GET",
  scope: undefined,
  answer: async ({ merchant }) => ({ status: 200, body: { faults: faults.list(merchant.id) } }),
});

/** `PUT /sandbox/faults`: `{"faults": […]}` takes the place of all; an empty list ends them. */
export const putFaults = ({ faults }: Parts): Route => ({
  method: "PUT",
  scope: undefined,
  answer: async ({ merchant, body }) => {
    const order = readMembers(body, { faults: required(list(fault, { max: 100 })) });
    const errors = order.faults.flatMap((one, index) =>
      faultsOfForm(one).map((member): MemberError => ({
        pointer: `/faults/${index}/${member}`,
        code: "INVALID_VALUE",
        message: `does not go with the kind ${one.kind}`,
      })),
    );
    if (errors.length > 0) throw refuseMembers(errors);
    faults.set(
      merchant.id,
      order.faults.map((one): Fault => ({ ...one, times: one.times ?? 1 })),
    );
    return { status: 200, body: { faults: faults.list(merchant.id) } };
  },
});

/** The members that a fault's kind needs and has not, or has and does not take. */
function faultsOfForm(one: Omit<Fault, "times">): string[] {
  const isStatus = one.kind === "status";
  return [
    ...(isStatus === (one.status === undefined) ? ["status"] : []),
    ...(!isStatus && one.retryAfterSeconds !== undefined ? ["retryAfterSeconds"] : []),
    ...(one.kind === "delay" && one.delayMs === undefined ? ["delayMs"] : []),
  ];
}
