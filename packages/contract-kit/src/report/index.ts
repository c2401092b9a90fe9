export {
  againstBaseline,
  baselineOf,
  readBaseline,
  type Baseline,
  type BaselineReading,
  type KnownFailure,
} from "./baseline.ts";
export {
  entryOfFinding,
  jsonReport,
  reportOfPacts,
  reportOfRun,
  type AboutOptions,
  type BaselineNews,
  type PactReportOptions,
  type ReportAbout,
  type ReportDocument,
  type ReportEntry,
  type RunReportOptions,
  type SkippedRow,
  type UncoveredRequirement,
} from "./document.ts";
export { redactor } from "./escape.ts";
export { githubAnnotations, githubSummary } from "./github.ts";
export { htmlReport } from "./html.ts";
export { junitReport } from "./junit.ts";
export { terminalEntry, terminalSummary } from "./terminal.ts";
