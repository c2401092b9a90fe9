import { expect, it } from "vitest";
import * as face from "../../src/stated/index.ts";

it("the package exports these values and no others", () => {
  expect(Object.keys(face).toSorted().join(" ")).toBe(
    "bodyHmac describedHmac hmacPresets schemeOf sealed signatureErrorCodes standardWebhooks timestampedHmac xSignature",
  );
});
