import type { CheckContext } from "../../src/check.ts";
import { providerChecks } from "../../src/checks.ts";
import type { Verdict } from "../../src/finding.ts";
import type { OpenedSandbox } from "./open-target.ts";

export interface Run extends CheckContext {
  /** Id of the check. */
  readonly check: string;
}

/** What a check says of a real sandbox. */
export function verdictsOf(
  { target }: OpenedSandbox,
  { check, ...context }: Run,
): Promise<readonly Verdict[]> {
  const found = providerChecks.find(({ id }) => id === check);
  if (found === undefined) throw new Error(`there is no check ${check}`);
  return found.run(target(), context);
}
