import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import fc from "fast-check";
import type { CheckContext, Evidence, ProviderCheck, Verdict } from "../check.ts";
import { curlLines, type Exchange, type RecordedCall, shownBytes } from "../exchange-text.ts";
import { attemptExchange, type Endpoint, httpText } from "../harness/endpoints.ts";
import { basicOf } from "../http-send.ts";
import type { ProviderTarget } from "../target.ts";
import { messageOf, swappedCase } from "../values.ts";
import { Verdicts } from "../verdicts.ts";
import { askUnsubscribe } from "./calls.ts";
import { StateMissing } from "./provider-states.ts";
import { openSession, Scenario, type Session } from "./session.ts";

interface ProviderScenario<T> extends Pick<ProviderCheck, "id" | "title"> {
  /** Ids of requirements; those of every answer are added. */
  readonly requirements: readonly string[];
  /** First time of a new merchant's clock in milliseconds. Default: `START`. */
  readonly now?: number;
  /** Values of the scenarios, each with a new merchant. Default: one scenario. */
  readonly arbitrary?: (profile: ResolvedProfile) => fc.Arbitrary<T>;
  /**
   * Records what it observes. It goes on after a failure, unless what follows would only repeat it.
   *
   * @throws {StateMissing} The target cannot show what has not been observed yet.
   */
  readonly run: (session: Session, value: T) => Promise<void>;
}

/** Milliseconds after which a check starts no more scenarios. */
const CHECK_MS = 120_000;
/** Milliseconds of the search for further failures after one has been found. */
const FURTHER_MS = 15_000;

/**
 * Noon in New York on the day before Thanksgiving of 2027: a scenario that waits for some days meets a holiday
 * and a weekend, whatever the date of the run.
 */
const START: number = Date.parse("2027-11-24T17:00:00.000Z");

/** A check that runs a scenario, and shrinks the first one that fails. */
export function providerCheck<T>({ arbitrary, ...given }: ProviderScenario<T>): ProviderCheck {
  const { id, title } = given;
  const requirements = [...given.requirements, "P-ANSWER-SCHEMA", "P-ANSWER-FORM"];
  const scenario = { ...given, requirements };
  return {
    id,
    title,
    role: "provider",
    requirements,
    run: (target, context) =>
      arbitrary === undefined
        ? // A scenario without values does not use the one that it is given.
          runScenarios(scenario, fc.constant(null as T), target, { ...context, runs: 1 })
        : runScenarios(scenario, arbitrary(resolveProfile(target.profile)), target, context),
  };
}

type Failed = Extract<Verdict, { readonly status: "fail" }>;

/** Makes a property fail. */
class ScenarioFailed extends Error {
  /** Requirements that the scenario is the first one to fail. */
  readonly requirements: readonly string[];
  constructor(requirements: readonly string[]) {
    super(requirements.join(", "));
    this.requirements = requirements;
  }
}

/** @throws {Error} The target does not answer, or the scenario itself broke before it observed a failure. */
async function runScenarios<T>(
  { id, requirements, now = START, run }: Omit<ProviderScenario<T>, "arbitrary">,
  arbitrary: fc.Arbitrary<T>,
  target: ProviderTarget,
  { seed, path = "", runs }: CheckContext,
): Promise<readonly Verdict[]> {
  const startedAt = performance.now();
  const verdicts = new Verdicts(id, requirements);
  // Shrinking comes to smaller scenarios later: the last failure is of the smallest one.
  const failures = new Map<string, Failed>();
  const known = new Set<string>();
  let missing: string | undefined;
  let broken: string | undefined;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    // If one scenario lacks a state, all do.
    if (missing !== undefined) return;
    const scenario = new Scenario(new Verdicts(id, requirements), now);
    const { found, error } = await runOnce(scenario, target, (session) => run(session, value));
    const fresh: string[] = [];
    for (const verdict of found) {
      if (verdict.status === "pass") verdicts.pass(verdict.requirement);
      else if (verdict.status !== "fail")
        verdicts.notApplicable(verdict.requirement, verdict.message);
      else if (!known.has(verdict.requirement)) {
        failures.set(verdict.requirement, verdict);
        fresh.push(verdict.requirement);
      }
    }
    if (error instanceof StateMissing && fresh.length === 0) missing = error.message;
    else if (error !== undefined && !(error instanceof StateMissing)) {
      if (failures.size === 0) throw error instanceof Error ? error : new Error(messageOf(error));
      broken = messageOf(error);
    }
    if (fresh.length > 0) throw new ScenarioFailed(fresh);
  });
  for (;;) {
    const left = CHECK_MS - (performance.now() - startedAt);
    const limit = known.size === 0 ? CHECK_MS : Math.min(left, FURTHER_MS);
    const details = await fc.check(property, {
      seed,
      path,
      numRuns: runs,
      // A path leads to a scenario that is smallest already.
      endOnFailure: path !== "",
      // A slow target gets fewer scenarios, and its failure is shrunk as far as time allows.
      interruptAfterTimeLimit: Math.max(1, limit),
    });
    if (!details.failed) {
      const isLate = details.interrupted && details.numRuns === 0;
      if (isLate && missing === undefined && failures.size === 0)
        throw new Error("the target takes too long: no scenario came to its end");
      break;
    }
    const { errorInstance: error, counterexamplePath } = details;
    if (!(error instanceof ScenarioFailed)) throw error;
    const replay = { seed, path: counterexamplePath ?? path };
    for (const requirement of error.requirements) {
      const failure = failures.get(requirement);
      if (failure !== undefined)
        failures.set(requirement, {
          ...failure,
          evidence: { curl: [], ...failure.evidence, replay },
        });
    }
    if (runs === 1 || path !== "" || left <= FURTHER_MS) break;
    // Again for the other requirements: one failure must not hide another.
    for (const requirement of failures.keys()) known.add(requirement);
  }
  for (const { requirement, message, evidence } of failures.values())
    verdicts.fail(requirement, message, evidence);
  return verdicts.list(broken);
}

/**
 * Runs a scenario with a new merchant, if the target can create one: leftovers of earlier scenarios have no influence.
 *
 * @returns Its verdicts, and the error that ended it early.
 */
async function runOnce(
  scenario: Scenario,
  target: ProviderTarget,
  run: (session: Session) => Promise<void>,
): Promise<{ readonly found: readonly Verdict[]; readonly error: unknown }> {
  const { verdicts, endpoints } = scenario;
  let session: Session | undefined;
  let error: unknown;
  try {
    session = await openSession(target, scenario);
    await run(session);
  } catch (thrown) {
    error = thrown;
  }
  for (const endpoint of endpoints) endpoint.close();
  if (session?.isFresh === false) await closeSubscriptions(session);
  if (error instanceof StateMissing)
    for (const one of verdicts.requirements) verdicts.notApplicable(one, error.message);
  const found = verdicts.list().map(async (verdict): Promise<Verdict> => {
    if (verdict.status !== "fail" || session === undefined) return verdict;
    return { ...verdict, evidence: await evidenceOf(session, target, verdict.requirement) };
  });
  return { found: await Promise.all(found), error };
}

/**
 * Closes what a scenario has subscribed, if it shared a merchant with others: a merchant has a few
 * subscriptions, and each still gets deliveries.
 */
async function closeSubscriptions(session: Session): Promise<void> {
  const keys = session.scenario.calls.flatMap(({ call, answer }) => {
    const key = /"subscriptionKey"\s*:\s*"([^"]+)"/.exec(
      Buffer.from(answer?.body ?? "").toString(),
    )?.[1];
    return call.path === "/v1/webhook/subscribe" && key !== undefined ? [key] : [];
  });
  for (const key of keys) {
    // A subscription that is closed already, or cannot be, is not a finding of this scenario.
    await askUnsubscribe(session, { key }).catch(() => undefined);
  }
}

async function evidenceOf(
  { scenario, target: { client } }: Session,
  target: ProviderTarget,
  requirement: string,
): Promise<Evidence> {
  const calls = scenario.calls.slice(0, scenario.failedAfter.get(requirement));
  const token = await (target.states ?? target).token();
  // A client's credentials, and the variables that replace them in shell lines.
  const names = new Map(
    client && [
      [basicOf(client), "BASIC"],
      [client.id, "CLIENT_ID"],
      [client.secret, "CLIENT_SECRET"],
    ],
  );
  const known = [token, ...scenario.secrets, ...(client ? [basicOf(client)] : [])];
  const plain = withoutSecrets([...known, ...calls.flatMap(grantedBy)]);
  return {
    curl: curlLines(calls, { token, run: scenario.run, secrets: names }).map(plain),
    exchanges: exchangesOf(calls, scenario.endpoints).map(({ sent, received }) => {
      return { sent: shownBytes(plain(sent)), received: shownBytes(plain(received)) };
    }),
  };
}

/** Calls and attempts that are shown of one failure: the last ones. */
const SHOWN = 4;

/** Secrets that a service generates for its caller. */
function grantedBy({ answer }: RecordedCall): readonly string[] {
  const text = Buffer.from(answer?.body ?? "").toString();
  return [...text.matchAll(GRANTED)].map(([, secret = ""]) => secret);
}

const GRANTED = /"(?:access_?[tT]oken|client_?[sS]ecret)"\s*:\s*"([^"]+)"/g;

/** Leaves out secrets, also without their last character or in another case, as checks send them. */
function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const all = secrets
    .filter(({ length }) => length >= 8)
    .flatMap((secret) => [secret, swappedCase(secret), secret.slice(0, -1)]);
  return (text) => all.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

/** The last exchanges: calls of the kit, then attempts of the provider with their responses. */
function exchangesOf(
  calls: readonly RecordedCall[],
  endpoints: readonly Endpoint[],
): readonly Exchange[] {
  const attempts = endpoints
    .flatMap((endpoint) => endpoint.attempts)
    .toSorted((one, other) => one.at - other.at)
    .map(attemptExchange);
  return [...calls.slice(-SHOWN).map(ofCall), ...attempts.slice(-SHOWN)];
}

function ofCall({ url, call, answer }: RecordedCall): Exchange {
  // A state is at a URL of its own, below which it has no path.
  const path = call.path === "" ? new URL(url).pathname : call.path;
  return {
    sent: httpText(`${call.method} ${path}`, call),
    received: answer === undefined ? "" : httpText(String(answer.status), answer),
  };
}
