import { json } from "./escape.ts";
import type { ReportDocument } from "./report-document.ts";

/** The report as JSON, the document as it is: `schemas/report.schema.json` describes it. */
export function jsonReport(document: ReportDocument): string {
  return `${json(document)}\n`;
}
