export type { Profile } from "@countersign/schemas/profiles";
export type { Seeded } from "./seed.ts";
export { startSandbox, type Sandbox, type StartOptions } from "./start-sandbox.ts";
