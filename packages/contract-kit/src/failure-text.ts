import type { Finding, Replay } from "./finding.ts";
import { entryOfFinding } from "./report/report-document.ts";
import { terminalDetails } from "./report/terminal.ts";
import { terminalLine } from "./report/escape.ts";

export interface FailureTextOptions {
  /** What makes the check meet the scenario again. Default: the option of `run`, as code. */
  readonly replay?: (check: string, replay: Replay) => string;
}

/**
 * A failure for a terminal: what is owed and why, what came, the bytes or the scenario as lines for a shell,
 * what to change, and what replays it. Nothing in it is a control character but line breaks.
 */
export function failureText(
  finding: Finding,
  { replay = asOption }: FailureTextOptions = {},
): string {
  const at = finding.evidence?.replay;
  const entry = entryOfFinding(finding, {
    seed: at?.seed ?? 1,
    ...(at && { replay: (check) => replay(check, at) }),
  });
  const head = terminalLine(`${finding.requirement.id} ${entry.name}`);
  return [head, ...terminalDetails(entry).map((line) => `  ${line}`)].join("\n");
}

function asOption(check: string, { seed, path }: Replay): string {
  return `run({ …, only: ["${check}"], seed: ${String(seed)}, path: "${path}" })`;
}
