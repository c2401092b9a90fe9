import { setTimeout } from "node:timers/promises";
import type { Sender } from "@countersign/schemas/provider-of";
import type { ProviderCheck } from "../../check.ts";
import { emit, onlyEvent, subscribe, typesOf, unsubscribe } from "../../harness/calls.ts";
import { answerEach, attemptsById, idOf } from "../../harness/delivered-events.ts";
import type { AttemptAnswer, Place } from "../../harness/hosted-receiver.ts";
import { must, mustBe } from "../../harness/judge.ts";
import { providerCheck } from "../../harness/scenario.ts";
import { secondAttemptMs } from "./retries.ts";

const SUCCESS = "P-EVENT-SUCCESS";
const REDIRECT = "P-EVENT-NO-REDIRECT";
const GONE = "P-EVENT-GONE";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";

/** A subscription that answers each of its events differently. */
interface Answering {
  readonly requirement: string;
  readonly place: Place;
  readonly answers: readonly AttemptAnswer[];
  readonly key: string;
  readonly type: string;
  /** Ids of the events that happened for it. */
  readonly ids: readonly string[];
}

export const attemptAnswers: ProviderCheck = providerCheck({
  id: "provider/attempt-answers",
  title:
    "a success ends the attempts, a redirect is a failure, 410 and unsubscribing end the deliveries",
  requirements: [SUCCESS, REDIRECT, GONE, SUBTRACT],
  play: async (session) => {
    const { profile } = session;
    const { goneStatus } = profile.sending;
    const after = await secondAttemptMs(session);
    const all: Answering[] = [];
    // Types that occur independently, one for each subscription, so that they do not mix.
    const types = typesOf(profile).toReversed();
    const open = async (
      requirement: string,
      answers: readonly AttemptAnswer[],
      kept: readonly string[] = [],
    ): Promise<Answering> => {
      const type = types[all.length % types.length] ?? "";
      const details = onlyEvent(...new Set([type, ...kept]));
      const place = session.receive(answerEach(answers, profile));
      const { key } = await subscribe(session, requirement, { place, details });
      const ids: string[] = [];
      for (const _ of answers) ids.push(await emit(session, type));
      const opened = { requirement, place, answers, key, type, ids };
      all.push(opened);
      return opened;
    };
    const elsewhere = session.receive();
    const redirects = [301, 302, 303, 307, 308].map((status) => {
      return { status, headers: { location: elsewhere.url } };
    });
    const answered = await open(SUCCESS, [...statusesOf(profile), "reset"]);
    const redirecting = await open(REDIRECT, redirects);
    const gone = await open(GONE, [{ status: goneStatus }]);
    const leaving = await open(SUBTRACT, [{ status: 500 }]);
    // The last one: causing its type may also cause the others. It keeps a type that does not occur here.
    const narrowed = await open(SUBTRACT, [{ status: 500 }], typesOf(profile).slice(0, 1));
    for (const { place, answers } of all)
      await place.until(() => attemptsById(place, profile).size >= answers.length);
    await session.settled();
    await unsubscribe(session, { key: leaving.key });
    await unsubscribe(session, { key: narrowed.key, details: onlyEvent(narrowed.type) });
    const retried = [answered, redirecting].map(({ requirement, place }) => {
      return { requirement, place, before: attemptsById(place, profile) };
    });
    await session.pass(after);

    for (const { requirement, place, before } of retried)
      for (const [id, attempts] of attemptsById(place, profile)) {
        const answer = attempts[0]?.answer ?? "silence";
        const status = typeof answer === "string" ? answer : answer.status;
        const isEnd = typeof status === "number" && isSuccess(status, profile);
        const more = attempts.length - (before.get(id)?.length ?? 0);
        must(requirement, (more === 0) === isEnd, () => {
          const wanted = isEnd ? "no further attempt" : "another attempt";
          return `after the answer ${status}: expected ${wanted}, got ${more}`;
        });
      }
    mustBe(REDIRECT, "requests at the place of a redirect", elsewhere.attempts.length, 0);
    // With a small catalogue several subscriptions select one type: the others' events do not count.
    const attemptsOf = ({ place, ids }: Answering): number => {
      const foreign = all.flatMap((other) => (other.ids === ids ? [] : other.ids));
      return place.attempts.filter(({ body }) => !foreign.includes(idOf(body, profile) ?? ""))
        .length;
    };
    mustBe(GONE, `attempts of an event that was answered ${goneStatus}`, attemptsOf(gone), 1);
    mustBe(SUBTRACT, "attempts of a subscription that ended", attemptsOf(leaving), 1);
    const waiting = `attempts of ${narrowed.type} after unsubscribing from it`;
    mustBe(SUBTRACT, waiting, attemptsOf(narrowed), 1);
    await emit(session, gone.type);
    await session.settled();
    mustBe(GONE, `attempts at a receiver that answered ${goneStatus} before`, attemptsOf(gone), 1);
  },
});

function statusesOf({ sending }: Pick<Sender, "sending">): readonly AttemptAnswer[] {
  const all = [200, 201, 202, 204, 299, 400, 401, 404, 409, 500, 503];
  return all.filter((status) => status !== sending.goneStatus).map((status) => ({ status }));
}

function isSuccess(status: number, { sending }: Pick<Sender, "sending">): boolean {
  return sending.success === "2xx" ? status >= 200 && status <= 299 : status === 200;
}

const TIMEOUT = "P-EVENT-TIMEOUT";
/** Largest timeout of an attempt, in milliseconds of real time, that a run without `--slow` waits for. */
const QUICK_MS = 1000;
/** Milliseconds after the deadline until the attempt is recorded as failed. */
const MARGIN_MS = 500;

export const attemptDeadline: ProviderCheck = providerCheck({
  id: "provider/attempt-deadline",
  title: "an attempt fails if it is not answered in the profile's time, and not before",
  requirements: [TIMEOUT],
  play: async (session) => {
    const { profile } = session;
    const { timeoutMs } = profile.sending;
    if (timeoutMs > QUICK_MS && session.target.slow !== true) {
      const reason = `the ${timeoutMs} ms of an attempt are waited for in a slow run only`;
      return session.cannotShow(TIMEOUT, reason);
    }
    const after = await secondAttemptMs(session);
    const silent = session.receive((_attempt, earlier) =>
      earlier.length === 0 ? "silence" : { status: 204 },
    );
    const late = session.receive(() => ({ status: 204, afterMs: timeoutMs / 2 }));
    const [type] = typesOf(profile);
    for (const place of [silent, late])
      await subscribe(session, TIMEOUT, { place, details: onlyEvent(type) });
    await emit(session, type);
    for (const place of [silent, late]) {
      const hasCome = await place.until((all) => all.length > 0);
      must(TIMEOUT, hasCome, () => `no attempt of ${type} arrived in time`);
    }
    await setTimeout(timeoutMs + MARGIN_MS);
    await session.settled();
    await session.pass(after);
    await silent.until((all) => all.length > 1);
    mustBe(TIMEOUT, `attempts after ${timeoutMs} ms of silence`, silent.attempts.length, 2);
    const answered = `attempts after an answer in time, after ${timeoutMs / 2} ms`;
    mustBe(TIMEOUT, answered, late.attempts.length, 1);
  },
});
