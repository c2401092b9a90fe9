import { setTimeout } from "node:timers/promises";
import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import { onlyEvent, emit, subscribe, typesOf, unsubscribe } from "../../harness/calls.ts";
import { idOf } from "../../harness/delivered-events.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { canPass, pass, settled, windowOf, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";
import type { AttemptAnswer, Place } from "../../target.ts";

const SUCCESS = "P-EVENT-SUCCESS";
const REDIRECT = "P-EVENT-NO-REDIRECT";
const GONE = "P-EVENT-GONE";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const UNMOVED = "the schedule's first wait is too long to be waited for, and no clock can be moved";

export const attemptAnswers: ProviderCheck = singleCheck({
  id: "provider/attempt-answers",
  title:
    "a success ends the attempts, a redirect is a failure, 410 and unsubscribing end the deliveries",
  requirements: [SUCCESS, REDIRECT, GONE, SUBTRACT],
  play: async (session) => {
    const { profile, receiver } = session.target;
    const { scheduleSeconds, jitter, goneStatus } = profile.delivery;
    const { after } = windowOf(scheduleSeconds[1] ?? Infinity, jitter);
    if (!Number.isFinite(after) || !(await canPass(session, after)))
      return Object.fromEntries([SUCCESS, REDIRECT, GONE, SUBTRACT].map((id) => [id, UNMOVED]));

    const elsewhere = session.receive();
    const answered = await openAnswering(session, SUCCESS, [...statusesOf(profile), "reset"]);
    const redirecting = await openAnswering(
      session,
      REDIRECT,
      [301, 302, 303, 307, 308].map((status) => ({ status, headers: { location: elsewhere.url } })),
    );
    const gone = await openAnswering(session, GONE, [{ status: goneStatus }]);
    const leaving = await openAnswering(session, SUBTRACT, [{ status: 500 }]);
    // The last one: causing its type may also cause the others.
    const narrowed = await openAnswering(session, SUBTRACT, [{ status: 500 }], typesOf(profile)[0]);
    const all = [answered, redirecting, gone, leaving, narrowed];
    for (const { place, answers } of all) {
      const isHere = (): boolean => countsOf(place, profile).size >= answers.length;
      await place.until(isHere, receiver?.deliveryMs ?? 0);
    }
    await settled(session);
    await unsubscribe(session, { key: leaving.key });
    await unsubscribe(session, { key: narrowed.key, details: onlyEvent(narrowed.type) });
    const before = [answered, redirecting].map(({ place }) => countsOf(place, profile));
    await pass(session, after);

    for (const [index, { place, requirement }] of [answered, redirecting].entries()) {
      for (const [id, { answer, count }] of countsOf(place, profile)) {
        const earlier = before[index]?.get(id)?.count ?? 0;
        const status = typeof answer === "string" ? answer : answer.status;
        const isEnd = typeof status === "number" && isSuccess(status, profile);
        must(requirement, (count === earlier) === isEnd, () => {
          const wanted = isEnd ? "no further attempt" : "another attempt";
          return `after the answer ${status}: expected ${wanted}, got ${count - earlier}`;
        });
      }
    }
    must(REDIRECT, elsewhere.attempts.length === 0, () => {
      return `a redirect was followed: ${elsewhere.attempts[0]?.method} at the place that it names`;
    });
    // With a small catalogue several subscriptions select one type: the others' events do not count.
    const attemptsOf = (one: Answering): number => {
      const foreign = new Set(all.flatMap((other) => (other === one ? [] : other.ids)));
      return one.place.attempts.filter(({ body }) => !foreign.has(idOf(body, profile) ?? ""))
        .length;
    };
    must(GONE, attemptsOf(gone) === 1, () => {
      return `after the answer ${goneStatus}: expected nothing, got ${attemptsOf(gone) - 1}`;
    });
    must(SUBTRACT, attemptsOf(leaving) === 1, () => {
      return "what waits for a subscription that ended was attempted again";
    });
    must(SUBTRACT, attemptsOf(narrowed) === 1, () => {
      return `a waiting ${narrowed.type} was attempted again after unsubscribing from it`;
    });
    await emit(session, gone.type);
    await settled(session);
    must(GONE, attemptsOf(gone) === 1, () => {
      return `a new event was sent to a receiver that answered ${goneStatus}`;
    });
    return undefined;
  },
});

function statusesOf(profile: Profile): readonly AttemptAnswer[] {
  const all = [200, 201, 202, 204, 299, 400, 401, 404, 409, 500, 503];
  return all
    .filter((status) => status !== profile.delivery.goneStatus)
    .map((status) => ({ status }));
}

function isSuccess(status: number, { delivery }: Profile): boolean {
  return delivery.success === "2xx" ? status >= 200 && status <= 299 : status === 200;
}

interface Answering {
  readonly requirement: string;
  readonly place: Place;
  readonly answers: readonly AttemptAnswer[];
  readonly key: string;
  readonly type: string;
  /** Of the events that happened for it. */
  readonly ids: readonly string[];
}

/**
 * A subscription that answers each event differently.
 *
 * @param kept Another type that it selects, but that does not occur here. Default: none.
 */
async function openAnswering(
  session: Session,
  requirement: string,
  answers: readonly AttemptAnswer[],
  kept?: string,
): Promise<Answering> {
  const { profile } = session.target;
  const come: (string | undefined)[] = [];
  const place = session.receive(({ body }) => {
    const id = idOf(body, profile);
    if (!come.includes(id)) come.push(id);
    return answers[come.indexOf(id)] ?? { status: 204 };
  });
  // Types that occur independently, one for each subscription, so that they do not mix.
  const types = typesOf(profile).toReversed();
  const order = [SUCCESS, REDIRECT, GONE, SUBTRACT];
  const at = kept === undefined ? order.indexOf(requirement) : order.length;
  const type = types[at % types.length] ?? "";
  const names = kept === undefined || kept === type ? [type] : [type, kept];
  const details = onlyEvent(...names);
  const key = await subscribe(session, { requirement, url: place.url, details });
  const ids: string[] = [];
  for (const _ of answers) ids.push(await emit(session, type));
  return { requirement, place, answers, key, type, ids };
}

function countsOf(
  { attempts }: Place,
  profile: Profile,
): ReadonlyMap<string | undefined, { readonly answer: AttemptAnswer; readonly count: number }> {
  const groups = Map.groupBy(attempts, ({ body }) => idOf(body, profile));
  return new Map(
    [...groups].map(([id, all]) => [
      id,
      { answer: all[0]?.answer ?? "silence", count: all.length },
    ]),
  );
}

const TIMEOUT = "P-EVENT-TIMEOUT";
/** Largest timeout of an attempt, in milliseconds of real time, that a run without `--slow` waits for. */
const QUICK_MS = 1000;
/** Milliseconds after the deadline until the attempt is recorded as failed. */
const MARGIN_MS = 500;

export const attemptDeadline: ProviderCheck = singleCheck({
  id: "provider/attempt-deadline",
  title: "an attempt fails if it is not answered in the profile's time, and not before",
  requirements: [TIMEOUT],
  play: async (session) => {
    const { profile, receiver, slow = false } = session.target;
    const { timeoutMs, scheduleSeconds, jitter } = profile.delivery;
    if (timeoutMs > QUICK_MS && !slow)
      return { [TIMEOUT]: `the ${timeoutMs} ms of an attempt are waited for in a slow run only` };
    const { after } = windowOf(scheduleSeconds[1] ?? Infinity, jitter);
    if (!Number.isFinite(after) || !(await canPass(session, after))) return { [TIMEOUT]: UNMOVED };

    const silent = session.receive((_attempt, earlier) =>
      earlier.length === 0 ? "silence" : { status: 204 },
    );
    const late = session.receive(() => ({ status: 204, afterMs: timeoutMs / 2 }));
    const [type = ""] = typesOf(profile);
    const details = onlyEvent(type);
    for (const { url } of [silent, late])
      await subscribe(session, { requirement: TIMEOUT, url, details });
    await emit(session, type);
    const limit = receiver?.deliveryMs ?? 0;
    for (const place of [silent, late]) {
      const hasCome = await place.until((all) => all.length > 0, limit);
      must(TIMEOUT, hasCome, () => `no attempt of ${type} arrived within ${limit} ms`);
    }
    await setTimeout(timeoutMs + MARGIN_MS);
    await settled(session);
    await pass(session, after);
    await silent.until((all) => all.length > 1, limit);
    must(TIMEOUT, silent.attempts.length === 2, () => {
      return `after ${timeoutMs} ms of silence: expected another attempt, got ${silent.attempts.length - 1}`;
    });
    must(TIMEOUT, late.attempts.length === 1, () => {
      return `an answer after ${timeoutMs / 2} ms is in time, and the attempt was made again`;
    });
    return undefined;
  },
});
