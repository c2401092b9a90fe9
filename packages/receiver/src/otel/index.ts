export { inboxMetrics, type InboxMetricsOptions } from "./inbox-metrics.ts";
export { instrument, type Instrumentable, type InstrumentOptions } from "./instrument.ts";
export {
  type MeasuredFacts,
  outcomeMetrics,
  type OutcomeMetricsOptions,
} from "./outcome-metrics.ts";
