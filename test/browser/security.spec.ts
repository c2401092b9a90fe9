import { describe } from "vitest";
import { securityOfCalls } from "./security-of-calls.ts";
import { securityOfData } from "./security-of-data.ts";

// C1 to C9 are the threats to a local page that the tests' titles name.
describe("the inspector's server", () => {
  securityOfCalls();
  securityOfData();
});
