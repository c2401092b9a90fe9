import { describe, expect, it } from "vitest";
import { providerFaults, receiverFaults, verdictOnProvider, verdictOnReceiver } from "./faults.ts";

describe("the checks notice", () => {
  it.each(providerFaults.filter(({ fails }) => fails !== undefined))(
    "a service's fault: $id",
    async (fault) => {
      expect(await verdictOnProvider(fault)).toBe("noticed");
    },
  );

  it.concurrent.each(receiverFaults)("a receiver that $breaks", async (fault) => {
    expect(await verdictOnReceiver(fault)).toBe("noticed");
  });
});
