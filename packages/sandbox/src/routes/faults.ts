import type { Profile } from "@countersign/schemas/profiles";
import {
  integer,
  list,
  object,
  oneOf,
  optional,
  refuseMembers,
  text,
  type Routes,
} from "@countersign/service/internal";
import { faultRoutesOf, MOST_FAULTS, type Fault, type Faults } from "../faults.ts";
import { get, put } from "./call.ts";

const faultOf = (profile: Profile) =>
  object({
    route: oneOf(...faultRoutesOf(profile), "attempt"),
    kind: oneOf("status", "delay", "reset", "lost"),
    status: optional(integer(400, 599)),
    delayMs: optional(integer(0, 60_000)),
    retryAfterSeconds: optional(integer(0, 86_400)),
    eventId: optional(text(255)),
    times: optional(integer(1, 1000)),
  });

interface FaultParts {
  readonly faults: Faults;
  readonly profile: Profile;
}

/** Lists the remaining faults, and replaces them. */
export const faultControls = ({ faults, profile }: FaultParts): Routes => ({
  "/sandbox/faults": [
    get(async ({ merchant }) => ({ faults: faults.list(merchant.id) })),
    put({ faults: list(faultOf(profile), MOST_FAULTS) }, async ({ merchant }, order) => {
      const errors = order.faults.flatMap((one, index) =>
        misfits(one).map((member) => ({
          pointer: `/faults/${index}/${member}`,
          code: "INVALID_VALUE" as const,
          message: `does not go with the kind ${one.kind} on ${one.route}`,
        })),
      );
      if (errors.length > 0) throw refuseMembers(errors);
      faults.set(
        merchant.id,
        order.faults.map((one) => ({ times: 1, ...one })),
      );
      return { faults: faults.list(merchant.id) };
    }),
  ],
});

/** Returns the members that the fault's kind requires and that are missing, or that its kind or route does not allow. */
function misfits(fault: Omit<Fault, "times">): string[] {
  const { route, kind, status, delayMs, retryAfterSeconds, eventId } = fault;
  const isStatus = kind === "status";
  return [
    ...(isStatus === (status === undefined) ? ["status"] : []),
    ...(!isStatus && retryAfterSeconds !== undefined ? ["retryAfterSeconds"] : []),
    ...(kind === "delay" && delayMs === undefined ? ["delayMs"] : []),
    ...(route !== "attempt" && eventId !== undefined ? ["eventId"] : []),
  ];
}
