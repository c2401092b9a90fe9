import type { Profile } from "@countersign/schemas";
import fc from "fast-check";
import type { CheckContext, Evidence, ProviderCheck, Replay, Verdict } from "../check.ts";
import { curlLines, type Exchange, type RecordedCall, shownBytes } from "../exchange-text.ts";
import type { Place, ProviderTarget, ReceivedAttempt } from "../target.ts";
import { basicOf } from "../http-send.ts";
import { askUnsubscribe } from "./calls.ts";
import { newRun, openSession, openRecorder, type Session } from "./session.ts";
import { NotShown, Violation } from "./judge.ts";

interface Scenario<T> {
  readonly requirements: readonly string[];
  /** First time of a new merchant's clock in milliseconds. Default: `START`. */
  readonly now?: number;
  /** Requirements that this target cannot show, with the reason. */
  readonly unseen?: Unseen;
  readonly arbitrary: fc.Arbitrary<T>;
  /**
   * @returns The facts that could not be observed, if any.
   * @throws {Violation} The target violates a requirement.
   */
  readonly play: (session: Session, value: T) => Promise<Unseen | void>;
}

/** Reasons by requirements. */
export type Unseen = Readonly<Record<string, string>>;

/**
 * Plays a scenario many times, each with a new merchant if the target can create one, and shrinks
 * the first that fails.
 *
 * @throws {Error} The target does not answer, or the scenario itself broke.
 */
async function playScenario<T>(
  { requirements, now = START, unseen = {}, arbitrary, play }: Scenario<T>,
  target: ProviderTarget,
  context: CheckContext,
): Promise<readonly Verdict[]> {
  const allNotApplicable = (message: string): readonly Verdict[] =>
    requirements.map((requirement) => ({ requirement, status: "not_applicable", message }));
  let notShown: NotShown | undefined;
  let untold = unseen;
  let isIdle = true;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    if (notShown !== undefined) return;
    try {
      const told = await inSession(target, now, async (session) => {
        const here = await play(session, value);
        const { exchanges } = session.options.recorder;
        isIdle &&= exchanges.every(({ url }) => url !== target.url);
        return here;
      });
      untold = { ...unseen, ...told };
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
      // If one scenario cannot show it, none can.
      notShown = error;
    }
  });
  const { seed, path = "", runs } = context;
  // A path leads to a scenario that is smallest already.
  const details = await fc.check(property, {
    seed,
    path,
    numRuns: runs,
    endOnFailure: path !== "",
    // A slow target gets fewer scenarios, and its failure is shrunk as far as time allows.
    interruptAfterTimeLimit: CHECK_MS,
  });
  if (!details.failed) {
    if (notShown !== undefined) return allNotApplicable(notShown.message);
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
  if (!(error instanceof Violation)) throw error;
  // A failure of another check's requirement would be lost.
  if (!requirements.includes(error.requirement))
    throw new Error(`the check does not name ${error.requirement}: ${error.message}`);
  return verdictsOf(requirements, error, { seed, path: counterexamplePath ?? path });
}

type CheckOptions = Pick<ProviderCheck, "id" | "title"> & {
  /** Ids of requirements; `P-ANSWER-SCHEMA` is added, since every call is validated. */
  readonly requirements: readonly string[];
  readonly now?: number;
  /** Requirements that a profile cannot show, with the reason. */
  readonly unseen?: (profile: Profile) => Unseen;
};

/** A check that plays scenarios of an arbitrary. */
export function generatedCheck<T>({
  arbitrary,
  play,
  unseen,
  ...check
}: CheckOptions &
  Pick<Scenario<T>, "play"> & {
    readonly arbitrary: (profile: Profile) => fc.Arbitrary<T>;
  }): ProviderCheck {
  const requirements = [...check.requirements, "P-ANSWER-SCHEMA"];
  return {
    id: check.id,
    title: check.title,
    role: "provider",
    requirements,
    run: (target, context) => {
      const { profile } = target;
      const played = { play, arbitrary: arbitrary(profile), unseen: unseen?.(profile) ?? {} };
      return playScenario({ ...check, ...played, requirements }, target, context);
    },
  };
}

/** A check that plays one scenario. */
export function singleCheck({
  play,
  ...check
}: CheckOptions & {
  readonly play: (session: Session) => Promise<Unseen | void>;
}): ProviderCheck {
  const generated = generatedCheck({ ...check, arbitrary: () => fc.constant(null), play });
  return {
    ...generated,
    run: (target, { seed }) => generated.run(target, { seed, runs: 1 }),
  };
}

/** Milliseconds after which a check starts no more scenarios. */
const CHECK_MS = 120_000;

/**
 * Noon in New York on the day before Thanksgiving of 2027: a scenario that waits for some days meets a holiday
 * and a weekend, whatever the date of the run.
 */
const START: number = Date.parse("2027-11-24T17:00:00.000Z");

async function inSession(
  target: ProviderTarget,
  now: number,
  play: (session: Session) => Promise<Unseen | void>,
): Promise<Unseen | void> {
  const [recorder, run, places] = [openRecorder(), newRun(), new Array<Place>()];
  // A new merchant: leftovers of earlier scenarios have no influence.
  const session = await openSession(target, { recorder, places, run, now });
  try {
    return await play(session);
  } catch (error) {
    if (error instanceof Violation) {
      const token = await (target.states ?? target).token();
      const secrets = secretsOf(session);
      const clientId = session.target.client?.id;
      error.curl = curlLines(recorder.exchanges, { token, run, secrets });
      const all = [token, session.token, ...secrets.keys()].filter((one) => one !== clientId);
      error.exchanges = exchangesOf(recorder.exchanges, places, all);
    }
    throw error;
  } finally {
    for (const place of places) place.close();
    if (!session.isFresh) await closeSubscriptions(session);
  }
}

/**
 * Closes what a scenario has subscribed, if it shared a merchant with others: a merchant has a few
 * subscriptions, and each still gets deliveries.
 */
async function closeSubscriptions(session: Session): Promise<void> {
  const keys = session.options.recorder.exchanges.flatMap(({ call, answer }) => {
    const key = /"subscriptionKey":"([^"]+)"/.exec(Buffer.from(answer?.body ?? "").toString())?.[1];
    return call.path === "/v1/webhook/subscribe" && key !== undefined ? [key] : [];
  });
  for (const key of keys) {
    // A subscription that is closed already, or cannot be, is not a finding of this scenario.
    await askUnsubscribe(session, { key }).catch(() => undefined);
  }
}

/** A client's credentials, and the variables that replace them in shell lines. */
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

/** Calls and attempts that are shown of one failure: the last ones. */
const SHOWN = 4;

/** Values that a service generates for its caller. */
const GRANTED = /"(?:access_?[tT]oken|client_?[sS]ecret)":"([^"]+)"/g;

/** The last exchanges: calls of the kit, then attempts of the provider with their responses. */
export function exchangesOf(
  calls: readonly RecordedCall[],
  places: readonly Place[],
  secrets: readonly string[],
): readonly Exchange[] {
  const attempts = places
    .flatMap((place) => place.attempts)
    .toSorted((one, other) => one.at - other.at)
    .map(ofAttempt);
  const shown = [...calls.slice(-SHOWN).map(ofCall), ...attempts.slice(-SHOWN)];
  const granted = calls.flatMap(({ answer }) =>
    [
      ...Buffer.from(answer?.body ?? "")
        .toString()
        .matchAll(GRANTED),
    ].map(([, one = ""]) => one),
  );
  const plain = (text: string): string =>
    [...secrets, ...granted].reduce(
      (rest, secret) => (secret === "" ? rest : rest.replaceAll(secret, "…")),
      text,
    );
  return shown.map(({ sent, received }) => ({
    sent: shownBytes(plain(sent)),
    received: shownBytes(plain(received)),
  }));
}

function ofCall({ call, answer }: RecordedCall): Exchange {
  const { method, path, headers, body = "" } = call;
  return {
    sent: httpText(`${method} ${path}`, headers, body),
    received:
      answer === undefined ? "" : httpText(String(answer.status), answer.headers, answer.body),
  };
}

function ofAttempt({ method, path, headers, body, answer }: ReceivedAttempt): Exchange {
  return {
    sent:
      typeof answer === "string" ? "" : httpText(String(answer.status), answer.headers ?? {}, ""),
    received: httpText(`${method} ${path}`, headers, body),
  };
}

function httpText(
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [line, ...fields, "", Buffer.from(body).toString()].join("\r\n");
}
