import fc from "fast-check";
import type { CheckContext } from "../check.ts";
import { curlLines } from "../curl-lines.ts";
import type { Evidence, Replay, Verdict } from "../finding.ts";
import { recorder as newRecorder } from "../recorder.ts";
import type { ProviderTarget } from "../target.ts";
import { newRun, openSession, type Session } from "./session.ts";
import { Violation } from "./violation.ts";

/** A generated scenario and the requirements that it says something of. */
export interface Scenario<T> {
  readonly requirements: readonly string[];
  /** What the target must let us move; without one of them nothing is played. */
  readonly needs: readonly ("payments" | "clock" | "events" | "merchant")[];
  /** Requirements that this target cannot show, with the reason. */
  readonly unseen?: Readonly<Record<string, string>>;
  readonly arbitrary: fc.Arbitrary<T>;
  /** @throws {Violation} The target does not do what a requirement says. */
  readonly play: (session: Session, value: T) => Promise<void>;
}

/**
 * Plays a scenario many times, each with a merchant of its own where the target can make one, and shrinks
 * the first that fails.
 *
 * @throws {Error} The target is not there, or the scenario itself broke.
 */
export async function playScenario<T>(
  { requirements, needs, unseen = {}, arbitrary, play }: Scenario<T>,
  target: ProviderTarget,
  context: CheckContext,
): Promise<readonly Verdict[]> {
  const controls = target.controls?.(unwatched) ?? {};
  const missing = needs.filter((need) => controls[need] === undefined);
  if (missing.length > 0) {
    const message = `the target has no control of ${missing.join(", ")}`;
    return requirements.map((requirement) => ({ requirement, status: "not_applicable", message }));
  }
  const property = fc.asyncProperty(arbitrary, (value) =>
    inSession(target, (session) => play(session, value)),
  );
  const { seed, path = "", runs } = context;
  // A path leads to a scenario that is smallest already.
  const details = await fc.check(property, {
    seed,
    path,
    numRuns: runs,
    endOnFailure: path !== "",
  });
  if (!details.failed) {
    return requirements.map((requirement): Verdict => {
      const message = unseen[requirement];
      return message === undefined
        ? { requirement, status: "pass" }
        : { requirement, status: "not_applicable", message };
    });
  }
  const { errorInstance: error, counterexamplePath } = details;
  if (!(error instanceof Violation)) throw error;
  // A failure of what the check does not answer for would be lost.
  if (!requirements.includes(error.requirement))
    throw new Error(`the check does not name ${error.requirement}: ${error.message}`);
  return verdictsOf(requirements, error, { seed, path: counterexamplePath ?? path });
}

/** Plays one scenario that needs no arbitrary. */
export function playOnce(
  scenario: Omit<Scenario<null>, "arbitrary" | "play"> & {
    readonly play: (session: Session) => Promise<void>;
  },
  target: ProviderTarget,
  context: CheckContext,
): Promise<readonly Verdict[]> {
  const { play } = scenario;
  const once = { seed: context.seed, runs: 1 };
  return playScenario({ ...scenario, arbitrary: fc.constant(null), play }, target, once);
}

async function inSession(
  target: ProviderTarget,
  play: (session: Session) => Promise<void>,
): Promise<void> {
  const [recorder, run] = [newRecorder(), newRun()];
  // A merchant of its own: what earlier scenarios left behind neither helps nor disturbs.
  const fresh = await target.controls?.(recorder.watch).merchant?.();
  const session = await openSession(fresh ?? target, { recorder, run });
  try {
    await play(session);
  } catch (error) {
    if (error instanceof Violation)
      error.curl = curlLines(recorder.exchanges, { token: await target.token(), run });
    throw error;
  }
}

function verdictsOf(
  requirements: readonly string[],
  violation: Violation,
  replay: Replay,
): readonly Verdict[] {
  const evidence: Evidence = { curl: violation.curl, replay };
  const { requirement: failed, message } = violation;
  return requirements.map((requirement) =>
    requirement === failed
      ? { requirement, status: "fail", message, evidence }
      : { requirement, status: "skipped", message: `the check ended with ${failed}` },
  );
}

const unwatched = <T>(send: T): T => send;
