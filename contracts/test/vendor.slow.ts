import { expect, it } from "vitest";
import { verifyByPact } from "./vendor.ts";

it("Pact's own verifier passes every interaction with the service, given nothing but the sandbox's state-change URL", async () => {
  expect(await verifyByPact()).toBe(124);
}, 90_000);
