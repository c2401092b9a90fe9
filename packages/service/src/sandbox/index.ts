// The public entry of the published package `@countersign/sandbox`
export type { Profile } from "@countersign/schemas/profiles";
export type { Seeded } from "./seed.ts";
export { startSandbox, type Sandbox, type StartOptions } from "./start-sandbox.ts";

// The parts that only the command and the tests of this repository use
export { diagnose, type DiagnosedAttempt, type Diagnosis } from "./diagnosis.ts";
export type { CheckRunner } from "./inspector/checks.ts";
export { Refused } from "../http/problem.ts";
export { guard } from "./guard.ts";
export { signatureSteps } from "./inspector/signature-steps.ts";
export { Inspector } from "./inspector/page.ts";
export { Streams } from "./streams.ts";
export { serveSandbox, type SandboxOptions } from "./sandbox.ts";
export { openNamespace, subscribeAll } from "./seed.ts";
