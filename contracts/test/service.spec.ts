import { fileURLToPath } from "node:url";
import { pactTests } from "@countersign/contract-kit/vitest";
import { openService } from "./open-service.ts";

pactTests({
  provider: "countersign-service",
  pacts: [fileURLToPath(new URL("../pacts", import.meta.url))],
  open: openService,
});
