import { fileURLToPath } from "node:url";
import { pactTests } from "@countersign/contract-kit/vitest";
import { openReceiver } from "./open-receiver.ts";

pactTests({
  provider: "merchant-receiver",
  pacts: [fileURLToPath(new URL("../pacts", import.meta.url))],
  open: openReceiver,
});
