import type { Finding, Replay } from "./finding.ts";

export interface FailureTextOptions {
  /** What makes the check meet the scenario again. Default: the option of `run`, as code. */
  readonly replay?: (check: string, replay: Replay) => string;
}

/**
 * A failure for a terminal: what is owed and why, what came, the scenario as lines for a shell, and what
 * replays it.
 */
export function failureText(
  { check, requirement, message, evidence }: Finding,
  { replay = asOption }: FailureTextOptions = {},
): string {
  const { id, level, sentence, source, why } = requirement;
  return [
    `${id} ${level} (${source}): ${sentence}`,
    `  ${message}`,
    `  Why it matters: ${why}`,
    ...(evidence === undefined || evidence.curl.length === 0
      ? []
      : [
          "  To see it, with the access token in TOKEN:",
          ...evidence.curl.map((line) => `    ${line}`),
        ]),
    ...(evidence?.replay === undefined
      ? []
      : [`  To replay it: ${replay(check, evidence.replay)}`]),
  ].join("\n");
}

function asOption(check: string, { seed, path }: Replay): string {
  return `run({ …, only: ["${check}"], seed: ${String(seed)}, path: "${path}" })`;
}
