import { expect, it } from "vitest";
import * as face from "../src/index.ts";

it("the package exports these values and no others", () => {
  expect(Object.keys(face).toSorted().join(" ")).toBe(
    "schemeOf signatureErrorCodes standardWebhooks",
  );
});
