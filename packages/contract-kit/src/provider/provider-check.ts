import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import fc from "fast-check";
import { type CheckContext, type ProviderCheck, requirementsOf, type Verdict } from "../check.ts";
import { type Exchange, shownBytes } from "../exchange-text.ts";
import { redactor } from "../redact.ts";
import type { ProviderTarget } from "../target.ts";
import { messageOf, swappedCase } from "../values.ts";
import { Verdicts } from "../verdicts.ts";
import { requestUnsubscribe } from "./calls.ts";
import { StateMissing } from "./provider-states.ts";
import { Scenario } from "./scenario.ts";
import { openSession, type Session } from "./session.ts";

interface ProviderScenario<T> extends Pick<ProviderCheck, "id" | "title"> {
  /** First time of a new merchant's clock in milliseconds. Default: `START`. */
  readonly now?: number;
  /** The first scenario's value. */
  readonly example?: (profile: ResolvedProfile) => T;
  /** Values of the scenarios, each with a new merchant. Default: one scenario. */
  readonly arbitrary?: (profile: ResolvedProfile) => fc.Arbitrary<T>;
  /** Goes on after a failure, unless what follows would repeat it. @throws {StateMissing} The rest cannot be shown. */
  readonly run: (session: Session, value: T) => Promise<void>;
}

/** Milliseconds after which a check starts no more scenarios. */
const CHECK_MS = 120_000;
/** Milliseconds of the search for further failures after one has been found. */
const FURTHER_MS = 15_000;

/** Noon in New York on the day before Thanksgiving: some days later a holiday and a weekend were met. */
const START: number = Date.parse("2027-11-24T17:00:00.000Z");

/** A check that runs a scenario, and shrinks the first one that fails. */
export function providerCheck<T>(given: ProviderScenario<T>): ProviderCheck {
  const { id, title } = given;
  const requirements = requirementsOf(id, "provider");
  const run: ProviderCheck["run"] = (target, context) =>
    runScenarios(given, requirements, target, context);
  return { id, title, role: "provider", requirements, run };
}

type Failed = Extract<Verdict, { readonly status: "fail" }>;

class ScenarioFailed extends Error {}

/** @throws {Error} The target does not answer, or the scenario itself broke before it observed a failure. */
async function runScenarios<T>(
  { id, now = START, example, arbitrary, run }: ProviderScenario<T>,
  requirements: readonly string[],
  target: ProviderTarget,
  context: CheckContext,
): Promise<readonly Verdict[]> {
  const startedAt = performance.now();
  const profile = resolveProfile(target.profile);
  const runs = arbitrary === undefined ? 1 : context.runs;
  const parameters: fc.Parameters<[T]> = {
    seed: context.seed,
    numRuns: runs,
    ...(example && { examples: [[example(profile)]] }),
  };
  const verdicts = new Verdicts(id, requirements);
  // Shrinking comes to smaller scenarios later: the last failure is of the smallest one.
  const failures = new Map<string, Failed>();
  // Failures of earlier searches: one must not hide another.
  let known: ReadonlySet<string> = new Set();
  let missing: string | undefined;
  let broken: string | undefined;
  // A scenario without values does not use the one that it is given.
  const values = arbitrary?.(profile) ?? fc.constant(null as T);
  const property = fc.asyncProperty(values, async (value) => {
    // If one scenario lacks a state, all do.
    if (missing !== undefined) return;
    const scenario = new Scenario(id, requirements, now);
    const { found, error } = await runOnce(scenario, target, (session) => run(session, value));
    const fresh: string[] = [];
    for (const verdict of found) {
      const { requirement, status } = verdict;
      if (status === "pass") verdicts.pass(requirement);
      else if (status !== "fail") verdicts.notApplicable(requirement, verdict.message);
      else if (!known.has(requirement)) {
        failures.set(requirement, verdict);
        fresh.push(requirement);
      }
    }
    if (error instanceof StateMissing) {
      if (fresh.length === 0) missing = error.message;
    } else if (error !== undefined) {
      if (failures.size === 0) throw error;
      broken = error.message;
    }
    if (fresh.length > 0) throw new ScenarioFailed(fresh.join(", "));
  });
  for (;;) {
    const left = CHECK_MS - (performance.now() - startedAt);
    const limit = known.size === 0 ? CHECK_MS : Math.min(left, FURTHER_MS);
    // A slow target gets fewer scenarios, and its failure is shrunk as far as time allows.
    const interruptAfterTimeLimit = Math.max(1, limit);
    const details = await fc.check(property, { ...parameters, interruptAfterTimeLimit });
    const { failed, errorInstance } = details;
    // Interrupted before the first scenario of this search came to its end.
    const isLate = failed && errorInstance === null;
    if (isLate && failures.size === 0 && missing === undefined)
      throw new Error("the target takes too long: no scenario came to its end");
    if (failed && !isLate && !(errorInstance instanceof ScenarioFailed)) throw errorInstance;
    if (!failed || isLate || runs === 1 || left <= FURTHER_MS) break;
    known = new Set(failures.keys());
  }
  for (const { requirement, message, exchanges } of failures.values())
    verdicts.fail(requirement, message, exchanges);
  return verdicts.list(broken);
}

/** Runs a scenario with a new merchant, if the target can create one: leftovers of earlier scenarios have no influence. */
async function runOnce(
  scenario: Scenario,
  target: ProviderTarget,
  run: (session: Session) => Promise<void>,
): Promise<{ readonly found: readonly Verdict[]; readonly error: Error | undefined }> {
  let session: Session | undefined;
  let error: Error | undefined;
  try {
    session = await openSession(target, scenario);
    await run(session);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  }
  for (const endpoint of scenario.endpoints) endpoint.close();
  // A merchant that others share has a few subscriptions, and each still gets deliveries. One that is closed already, or
  // cannot be, is not a finding of this scenario.
  if (session?.isFresh === false)
    for (const key of scenario.subscriptions.splice(0))
      await requestUnsubscribe(session, { key }).catch(() => undefined);
  if (error instanceof StateMissing)
    for (const one of scenario.requirements) scenario.notApplicable(one, error.message);
  const found = scenario.list();
  if (!found.some(({ status }) => status === "fail")) return { found, error };
  const hide = await secretHider(scenario, target);
  const shown = found.map((verdict) =>
    verdict.status === "fail"
      ? { ...verdict, exchanges: (verdict.exchanges ?? []).map(hide) }
      : verdict,
  );
  return { found: shown, error };
}

/** Hides every secret of a scenario, and what a service has generated for its caller. */
async function secretHider(
  { calls, secrets }: Scenario,
  { states, token }: ProviderTarget,
): Promise<(exchange: Exchange) => Exchange> {
  const granted = calls.flatMap(({ answer }) =>
    [
      ...Buffer.from(answer?.body ?? "")
        .toString()
        .matchAll(GRANTED),
    ].map(([, one = ""]) => one),
  );
  const known = [await (states?.token ?? token)(), ...secrets, ...granted];
  // Checks also send a secret in another case and without its last character.
  const hide = redactor(known.flatMap((one) => [one, swappedCase(one), one.slice(0, -1)]));
  return (exchange) => {
    const { sent, received } = hide(exchange);
    return { sent: shownBytes(sent), received: shownBytes(received) };
  };
}

const GRANTED = /"(?:access_?[tT]oken|client_?[sS]ecret)"\s*:\s*"([^"]+)"/g;
