export type { CheckProgress, CheckRunner, CheckWatch } from "./inspector/check-runner.ts";
export type { InspectorOptions } from "./inspector/options.ts";
export { openNamespace, type OpenedNamespace } from "./open-namespace.ts";
export { startSandbox, type RunningSandbox, type SandboxOptions } from "./sandbox.ts";
export { sampleEvent, type SampleEvent, type SampleOrder } from "./sample-event.ts";
export { seed, type Seeded, type SeedOptions } from "./seed.ts";
export { subscribeAll, type SubscribeAllOutcome } from "./subscribe-all.ts";
