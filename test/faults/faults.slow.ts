import { providerChecks } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import type { Plant } from "./edits.ts";
import { receiverFaults, verdictOnReceiver } from "./faults.ts";
import { providerFaults, verdictOnProvider } from "./provider-faults.ts";

describe("the checks notice", () => {
  it.each(providerFaults)("a service's fault: $id", async (fault) => {
    expect(await verdictOnProvider(fault)).toBe("noticed");
  });

  it.concurrent.each(receiverFaults)("a receiver that $breaks", async (fault) => {
    expect(await verdictOnReceiver(fault)).toBe("noticed");
  });
});

it.each(providerChecks.map(({ id }) => id))(
  "%s notices nothing in calls and attempts that are only passed on",
  async (id) => {
    const plant = (): Plant => ({
      call: (call, next) => next(call),
      attempt: (attempt, next, sign) => next(sign(attempt)),
    });
    expect(await verdictOnProvider({ fails: id, plant })).toBe("missed");
  },
);
