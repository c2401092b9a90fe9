import type { FindingStatus } from "./shapes.ts";

const words: Readonly<Record<FindingStatus, { word: string; tone: string }>> = {
  pass: { word: "pass", tone: "good" },
  fail: { word: "fail", tone: "bad" },
  warn: { word: "warn", tone: "waiting" },
  error: { word: "broke", tone: "bad" },
  not_applicable: { word: "not applicable", tone: "none" },
  skipped: { word: "skipped", tone: "none" },
};

/** The status of a finding in a word. */
export function StatusBadge({ status }: { readonly status: FindingStatus | undefined }) {
  if (status === undefined) return <span className="badge none">not run</span>;
  const { word, tone } = words[status];
  return <span className={`badge ${tone}`}>{word}</span>;
}
