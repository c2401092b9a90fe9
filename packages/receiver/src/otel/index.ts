export { instrument, type Instrumentable, type InstrumentOptions } from "./instrument.ts";
export { outcomeMetrics, type OutcomeMetricsOptions } from "./outcome-metrics.ts";
