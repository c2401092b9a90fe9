import fc from "fast-check";
import type { CheckContext } from "../check.ts";
import { curlLines } from "../curl-lines.ts";
import type { Evidence, Replay, Verdict } from "../finding.ts";
import { recorder as newRecorder } from "./recorder.ts";
import type { Place, ProviderTarget } from "../target.ts";
import { exchangesOf } from "./evidence.ts";
import { lacking, type Need } from "./needs.ts";
import { newRun, openSession, type Session } from "./session.ts";
import { closeSubscriptions } from "./tidy.ts";
import { basicOf } from "../checks/provider/token-calls.ts";
import { NotShown, Violation } from "./violation.ts";

/** A generated scenario and the requirements that it says something of. */
export interface Scenario<T> {
  readonly requirements: readonly string[];
  /** What the target must let us move or reach; without one of them nothing is played. */
  readonly needs: readonly Need[];
  /** Requirements that this target cannot show, with the reason. */
  readonly unseen?: Unseen;
  readonly arbitrary: fc.Arbitrary<T>;
  /**
   * @returns What could not be seen after all, if anything.
   * @throws {Violation} The target does not do what a requirement says.
   */
  readonly play: (session: Session, value: T) => Promise<Unseen | void>;
}

/** Reasons by requirements. */
export type Unseen = Readonly<Record<string, string>>;

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
  const message = lacking(target, needs);
  if (message !== undefined) {
    return requirements.map((requirement) => ({ requirement, status: "not_applicable", message }));
  }
  let untold = unseen;
  let isIdle = true;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    const told = await inSession(target, async (session) => {
      const here = await play(session, value);
      isIdle &&= session.calls() === 0;
      return here;
    });
    untold = { ...unseen, ...told };
  });
  const { seed, path = "", runs } = context;
  // A path leads to a scenario that is smallest already.
  const details = await fc.check(property, {
    seed,
    path,
    numRuns: runs,
    endOnFailure: path !== "",
    // A target that answers slowly is played less, and its failure is shown as small as there was time for.
    interruptAfterTimeLimit: CHECK_MS,
  });
  if (!details.failed) {
    if (details.interrupted && details.numRuns === 0)
      throw new Error("the target takes too long: no scenario came to its end");
    return requirements.map((requirement): Verdict => {
      const reason = untold[requirement] ?? (isIdle ? "nothing was called" : undefined);
      return reason === undefined
        ? { requirement, status: "pass" }
        : { requirement, status: "not_applicable", message: reason };
    });
  }
  const { errorInstance: error, counterexamplePath } = details;
  if (error instanceof NotShown) {
    const { message: told } = error;
    return requirements.map((requirement) => ({
      requirement,
      status: "not_applicable",
      message: told,
    }));
  }
  if (!(error instanceof Violation)) throw error;
  // A failure of what the check does not answer for would be lost.
  if (!requirements.includes(error.requirement))
    throw new Error(`the check does not name ${error.requirement}: ${error.message}`);
  return verdictsOf(requirements, error, { seed, path: counterexamplePath ?? path });
}

/** Plays one scenario that needs no arbitrary. */
export function playOnce(
  scenario: Omit<Scenario<null>, "arbitrary" | "play"> & {
    readonly play: (session: Session) => Promise<Unseen | void>;
  },
  target: ProviderTarget,
  context: CheckContext,
): Promise<readonly Verdict[]> {
  const { play } = scenario;
  const once = { seed: context.seed, runs: 1 };
  return playScenario({ ...scenario, arbitrary: fc.constant(null), play }, target, once);
}

/** Milliseconds after which no further scenario of a check is begun. */
const CHECK_MS = 120_000;

async function inSession(
  target: ProviderTarget,
  play: (session: Session) => Promise<Unseen | void>,
): Promise<Unseen | void> {
  const [recorder, run, places] = [newRecorder(), newRun(), new Array<Place>()];
  // A merchant of its own: what earlier scenarios left behind neither helps nor disturbs.
  const fresh = await target.controls?.(recorder.watch).merchant?.();
  const session = await openSession(fresh ?? target, { recorder, places, run });
  try {
    return await play(session);
  } catch (error) {
    if (error instanceof Violation) {
      const token = await target.token();
      const secrets = secretsOf(session);
      const clientId = session.target.client?.id;
      error.curl = curlLines(recorder.exchanges, { token, run, secrets });
      const all = [token, session.token, ...secrets.keys()].filter((one) => one !== clientId);
      error.exchanges = exchangesOf(recorder.exchanges, places, all);
    }
    throw error;
  } finally {
    for (const place of places) place.close();
    if (fresh === undefined) await closeSubscriptions(target, recorder.exchanges);
  }
}

/** What a client is known by, and the variables that stand for it. */
function secretsOf({ target: { client } }: Session): ReadonlyMap<string, string> {
  return new Map(
    client === undefined
      ? []
      : [
          [basicOf(client), "BASIC"],
          [client.id, "CLIENT_ID"],
          [client.secret, "CLIENT_SECRET"],
        ],
  );
}

function verdictsOf(
  requirements: readonly string[],
  violation: Violation,
  replay: Replay,
): readonly Verdict[] {
  const { curl, exchanges } = violation;
  const evidence: Evidence = { curl, exchanges, replay };
  const { requirement: failed, message } = violation;
  return requirements.map((requirement) =>
    requirement === failed
      ? { requirement, status: "fail", message, evidence }
      : { requirement, status: "skipped", message: `the check ended with ${failed}` },
  );
}
