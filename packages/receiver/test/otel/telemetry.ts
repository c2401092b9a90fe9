import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire, registerHooks } from "node:module";
import type { Context, ContextManager } from "@opentelemetry/api";

// The test runner adds the condition "module", under which the API has files for bundlers that Node.js
// does not load.
registerHooks({
  resolve: (specifier, { conditions, ...context }, next) =>
    next(specifier, {
      ...context,
      conditions: specifier.startsWith("@opentelemetry/")
        ? conditions.filter((condition) => condition !== "module")
        : conditions,
    }),
});
const load = createRequire(import.meta.url);
export const api = load("@opentelemetry/api") as typeof import("@opentelemetry/api");
const { InMemorySpanExporter, BasicTracerProvider, SimpleSpanProcessor } = load(
  "@opentelemetry/sdk-trace-base",
) as typeof import("@opentelemetry/sdk-trace-base");
const {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} = load("@opentelemetry/sdk-metrics") as typeof import("@opentelemetry/sdk-metrics");

/** A tracer that keeps its spans in memory. */
export function tracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}

/** A meter whose measurements are read at once. */
export function metering() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    meter: provider.getMeter("test"),
    points: async () => {
      await provider.forceFlush();
      const metrics = exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics);
      await provider.shutdown();
      return (metrics ?? []).flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          name: descriptor.name,
          unit: descriptor.unit,
          attributes,
          value,
        })),
      );
    },
  };
}

/** Carries the active span across awaits, as the Node.js SDK's own context manager does. */
export function asyncContextManager(): ContextManager {
  const contexts = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
    with: (context, fn, thisArg, ...args) => contexts.run(context, () => fn.apply(thisArg, args)),
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
