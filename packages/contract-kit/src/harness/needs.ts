import type { ProviderTarget } from "../target.ts";

/**
 * - `another`: a second merchant, made or there already
 * - `receiver`: deliveries reach the kit
 * - `client`: access tokens may be asked for
 * - the rest are controls of these names; `settle`, `fail` and `cover` are of `payments`, `subscriptionsOf`
 *   of `events`
 */
export type Need =
  | "payments"
  | "settle"
  | "fail"
  | "cover"
  | "clock"
  | "events"
  | "subscriptionsOf"
  | "another"
  | "receiver"
  | "client";

const LACKING: Readonly<Record<Need, string>> = {
  payments: "control that makes payments",
  settle: "control that settles a payment",
  fail: "control that lets a payment fail",
  cover: "control that covers a payment",
  clock: "control of its clock",
  events: "control of events",
  subscriptionsOf: "control that tells whom an event is delivered to",
  another: "second merchant",
  receiver: "receiver of the kit to deliver to",
  client: "client that may ask for tokens",
};

/** Why nothing can be played; `undefined` where the target has all that is needed. */
export function lacking(target: ProviderTarget, needs: readonly Need[]): string | undefined {
  const missing = needs.filter((need) => !isThere(target, need)).map((need) => LACKING[need]);
  return missing.length === 0 ? undefined : `the target has no ${missing.join(", no ")}`;
}

function isThere(target: ProviderTarget, need: Need): boolean {
  const controls = target.controls?.(unwatched) ?? {};
  switch (need) {
    case "payments":
    case "clock":
    case "events":
      return controls[need] !== undefined;
    case "settle":
    case "fail":
    case "cover":
      return controls.payments?.[need] !== undefined;
    case "subscriptionsOf":
      return controls.events?.subscriptionsOf !== undefined;
    case "another":
      return (controls.merchant ?? target.other) !== undefined;
    case "receiver":
      return target.receiver !== undefined;
    case "client":
      // A merchant that is made may come with a client of its own.
      return (target.client ?? controls.merchant) !== undefined;
    default:
      return need satisfies never;
  }
}

const unwatched = <T>(send: T): T => send;
