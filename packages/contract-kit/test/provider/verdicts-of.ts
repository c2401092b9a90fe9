import { expect } from "vitest";
import type { CheckContext } from "../../src/check.ts";
import { providerChecks } from "../../src/checks.ts";
import type { Verdict } from "../../src/finding.ts";
import { openTarget, type Fault } from "./open-target.ts";

export interface Run extends CheckContext {
  /** Id of the check. */
  readonly check: string;
  /** What the service does wrong. Default: nothing. */
  readonly fault?: Fault;
}

/** What a check says of a real sandbox, or of one behind a fault. */
export async function verdictsOf({ check, fault, ...context }: Run): Promise<readonly Verdict[]> {
  const { target } = await openTarget(fault);
  const found = providerChecks.find(({ id }) => id === check);
  if (found === undefined) throw new Error(`there is no check ${check}`);
  return found.run(target, context);
}

/** A failure of a requirement, with the lines that show it and the way back to it. */
export function failureOf(requirement: string, seed: number): unknown {
  return {
    requirement,
    status: "fail",
    message: expect.stringMatching(/./) as unknown,
    evidence: {
      curl: expect.arrayContaining([expect.stringMatching(/curl/)]) as unknown,
      exchanges: expect.arrayContaining([
        { sent: expect.any(String) as unknown, received: expect.any(String) as unknown },
      ]) as unknown,
      replay: { seed, path: expect.stringMatching(/^\d/) as unknown },
    },
  };
}
