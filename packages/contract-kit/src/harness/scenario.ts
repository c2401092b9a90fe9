import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import fc from "fast-check";
import type { CheckContext, Evidence, ProviderCheck, Verdict } from "../check.ts";
import { curlLines, type Exchange, type RecordedCall, shownBytes } from "../exchange-text.ts";
import { basicOf } from "../http-send.ts";
import type { ProviderTarget } from "../target.ts";
import { askUnsubscribe } from "./calls.ts";
import type { Place, ReceivedAttempt } from "./hosted-receiver.ts";
import { NotShown, Violation } from "./judge.ts";
import { openSession, Scene, type Session } from "./session.ts";

interface Scenario<T> extends Pick<ProviderCheck, "id" | "title"> {
  /** Ids of requirements; `P-ANSWER-SCHEMA` is added, since every call is validated. */
  readonly requirements: readonly string[];
  /** First time of a new merchant's clock in milliseconds. Default: `START`. */
  readonly now?: number;
  /** Values to play the scenario with, each with a new merchant. Default: it is played once. */
  readonly arbitrary?: (profile: ResolvedProfile) => fc.Arbitrary<T>;
  /**
   * @throws {Violation} The target violates a requirement.
   * @throws {NotShown} The target cannot show any of the requirements.
   */
  readonly play: (session: Session, value: T) => Promise<void>;
}

/** Milliseconds after which a check starts no more scenarios. */
const CHECK_MS = 120_000;

/**
 * Noon in New York on the day before Thanksgiving of 2027: a scenario that waits for some days meets a holiday
 * and a weekend, whatever the date of the run.
 */
const START: number = Date.parse("2027-11-24T17:00:00.000Z");

/** A check that plays a scenario, and shrinks the first one that fails. */
export function providerCheck<T>({ arbitrary, ...scenario }: Scenario<T>): ProviderCheck {
  const { id, title } = scenario;
  const requirements = [...scenario.requirements, "P-ANSWER-SCHEMA"];
  return {
    id,
    title,
    role: "provider",
    requirements,
    run: (target, context) =>
      arbitrary === undefined
        ? playScenarios({ ...scenario, requirements }, fc.constant(null as T), target, {
            ...context,
            runs: 1,
          })
        : playScenarios(
            { ...scenario, requirements },
            arbitrary(resolveProfile(target.profile)),
            target,
            context,
          ),
  };
}

/** @throws {Error} The target does not answer, or the scenario itself broke. */
async function playScenarios<T>(
  { requirements, now = START, play }: Omit<Scenario<T>, "arbitrary">,
  arbitrary: fc.Arbitrary<T>,
  target: ProviderTarget,
  { seed, path = "", runs }: CheckContext,
): Promise<readonly Verdict[]> {
  let allUnseen: string | undefined;
  let unseen: ReadonlyMap<string, string> = new Map();
  let isIdle = true;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    if (allUnseen !== undefined) return;
    const scene = new Scene(now);
    try {
      await playIn(scene, target, (session) => play(session, value));
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
      // If one scenario cannot show it, none can.
      allUnseen = error.message;
    }
    unseen = scene.unseen;
    isIdle &&= scene.calls.every(({ url }) => url !== target.url);
  });
  const details = await fc.check(property, {
    seed,
    path,
    numRuns: runs,
    // A path leads to a scenario that is smallest already.
    endOnFailure: path !== "",
    // A slow target gets fewer scenarios, and its failure is shrunk as far as time allows.
    interruptAfterTimeLimit: CHECK_MS,
  });
  if (details.failed) {
    const { errorInstance: error, counterexamplePath } = details;
    if (!(error instanceof Violation)) throw error;
    return failures(requirements, error, { seed, path: counterexamplePath ?? path });
  }
  if (details.interrupted && details.numRuns === 0 && allUnseen === undefined)
    throw new Error("the target takes too long: no scenario came to its end");
  return requirements.map((requirement): Verdict => {
    const idle = isIdle ? "nothing was called" : undefined;
    const message = allUnseen ?? unseen.get(requirement) ?? idle;
    return message === undefined
      ? { requirement, status: "pass" }
      : { requirement, status: "not_applicable", message };
  });
}

/** @throws {Error} Another check's requirement failed: its failure would be lost. */
function failures(
  requirements: readonly string[],
  { requirement: failed, message, evidence }: Violation,
  replay: NonNullable<Evidence["replay"]>,
): readonly Verdict[] {
  if (!requirements.includes(failed))
    throw new Error(`the check does not name ${failed}: ${message}`);
  return requirements.map((requirement) =>
    requirement === failed
      ? { requirement, status: "fail", message, evidence: { ...evidence, replay } }
      : { requirement, status: "skipped", message: `the check ended with ${failed}` },
  );
}

/** Plays with a new merchant, if the target can create one: leftovers of earlier scenarios have no influence. */
async function playIn(
  scene: Scene,
  target: ProviderTarget,
  play: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await openSession(target, scene);
  try {
    await play(session);
  } catch (error) {
    if (error instanceof Violation) error.evidence = await evidenceOf(session, target);
    throw error;
  } finally {
    for (const place of scene.places) place.close();
    if (!session.isFresh) await closeSubscriptions(session);
  }
}

/**
 * Closes what a scenario has subscribed, if it shared a merchant with others: a merchant has a few
 * subscriptions, and each still gets deliveries.
 */
async function closeSubscriptions(session: Session): Promise<void> {
  const keys = session.scene.calls.flatMap(({ call, answer }) => {
    const key = /"subscriptionKey":"([^"]+)"/.exec(Buffer.from(answer?.body ?? "").toString())?.[1];
    return call.path === "/v1/webhook/subscribe" && key !== undefined ? [key] : [];
  });
  for (const key of keys) {
    // A subscription that is closed already, or cannot be, is not a finding of this scenario.
    await askUnsubscribe(session, { key }).catch(() => undefined);
  }
}

async function evidenceOf(session: Session, target: ProviderTarget): Promise<Evidence> {
  const { calls, places, run } = session.scene;
  const token = await (target.states ?? target).token();
  const { client } = session.target;
  // A client's credentials, and the variables that replace them in shell lines.
  const secrets = new Map(
    client && [
      [basicOf(client), "BASIC"],
      [client.id, "CLIENT_ID"],
      [client.secret, "CLIENT_SECRET"],
    ],
  );
  const hidden = [token, session.token, ...secrets.keys()].filter((one) => one !== client?.id);
  return {
    curl: curlLines(calls, { token, run, secrets }),
    exchanges: exchangesOf(calls, places, hidden),
  };
}

/** Calls and attempts that are shown of one failure: the last ones. */
const SHOWN = 4;

/** Values that a service generates for its caller. */
const GRANTED = /"(?:access_?[tT]oken|client_?[sS]ecret)":"([^"]+)"/g;

/** The last exchanges: calls of the kit, then attempts of the provider with their responses. */
function exchangesOf(
  calls: readonly RecordedCall[],
  places: readonly Place[],
  secrets: readonly string[],
): readonly Exchange[] {
  const attempts = places
    .flatMap((place) => place.attempts)
    .toSorted((one, other) => one.at - other.at)
    .map(ofAttempt);
  const granted = calls.flatMap(({ answer }) =>
    [
      ...Buffer.from(answer?.body ?? "")
        .toString()
        .matchAll(GRANTED),
    ].map(([, one = ""]) => one),
  );
  const plain = (text: string): string =>
    [...secrets, ...granted]
      .filter((secret) => secret !== "")
      .reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  return [...calls.slice(-SHOWN).map(ofCall), ...attempts.slice(-SHOWN)].map((shown) => ({
    sent: shownBytes(plain(shown.sent)),
    received: shownBytes(plain(shown.received)),
  }));
}

function ofCall({ call, answer }: RecordedCall): Exchange {
  return {
    sent: httpText(`${call.method} ${call.path}`, call),
    received: answer === undefined ? "" : httpText(String(answer.status), answer),
  };
}

function ofAttempt(attempt: ReceivedAttempt): Exchange {
  const { method, path, answer } = attempt;
  return {
    sent: typeof answer === "string" ? "" : httpText(String(answer.status), answer),
    received: httpText(`${method} ${path}`, attempt),
  };
}

function httpText(
  line: string,
  {
    headers = {},
    body = "",
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
  },
): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [line, ...fields, "", Buffer.from(body).toString()].join("\r\n");
}
