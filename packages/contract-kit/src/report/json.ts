import type { ReportDocument } from "./report-document.ts";

/** The report as JSON: the document as it is. */
export function jsonReport(document: ReportDocument): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
