// The parts that the command and the tests of this repository build on. They are not published.
export type { CheckProgress, CheckRunner, CheckWatch } from "./inspector/checks.ts";
export type { InspectorOptions } from "./inspector/page.ts";
export { sampleEvent, type SampleEvent, type SampleOrder } from "./samples.ts";
export { serveSandbox, type RunningSandbox, type SandboxOptions } from "./sandbox.ts";
export {
  openNamespace,
  subscribeAll,
  type OpenedNamespace,
  type Seeded,
  type SeedOptions,
  type SubscribeAllOutcome,
} from "./seed.ts";
