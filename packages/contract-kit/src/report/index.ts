export { againstBaseline, failuresIn } from "./baseline.ts";
export {
  entryOfFinding,
  jsonReport,
  reportOfPacts,
  reportOfRun,
  type AboutOptions,
  type PactReportOptions,
  type ReportAbout,
  type ReportDocument,
  type ReportEntry,
  type RunReportOptions,
  type SkippedRow,
  type UncoveredRequirement,
} from "./document.ts";
export { redactor } from "../redact.ts";
export { githubSummary } from "./github.ts";
export { htmlReport } from "./html.ts";
export { junitReport } from "./junit.ts";
export { isNotJudged } from "./summary.ts";
export { terminalEntry, terminalSummary } from "./terminal.ts";
