export type { CheckProgress, CheckRunner, CheckWatch } from "./inspector/checks.ts";
export type { InspectorOptions } from "./inspector/page.ts";
export { sampleEvent, type SampleEvent, type SampleOrder } from "./samples.ts";
export { startSandbox, type RunningSandbox, type SandboxOptions } from "./sandbox.ts";
export {
  openNamespace,
  subscribeAll,
  type OpenedNamespace,
  type Seeded,
  type SeedOptions,
  type SubscribeAllOutcome,
} from "./seed.ts";
