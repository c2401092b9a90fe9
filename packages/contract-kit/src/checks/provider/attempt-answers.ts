import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import type { AttemptAnswer, Place } from "../../target.ts";
import { idOf } from "../../harness/delivered-event.ts";
import { canPass, pass, settled, windowOf } from "../../harness/passing-time.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { subscribe, unsubscribe } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const SUCCESS = "P-EVENT-SUCCESS";
const REDIRECT = "P-EVENT-NO-REDIRECT";
const GONE = "P-EVENT-GONE";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const requirements = [SUCCESS, REDIRECT, GONE, SUBTRACT, "P-ANSWER-SCHEMA"];

/** What each answer to an attempt does to the event's further attempts. */
export const attemptAnswers: ProviderCheck = {
  id: "provider/attempt-answers",
  title: "a success ends the attempts, a redirect is a failure, 410 and unsubscribing end all",
  role: "provider",
  requirements,
  run: (target, context) =>
    playOnce({ requirements, needs: ["events", "receiver"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { profile } = session.target;
  const { scheduleSeconds, jitter, goneStatus } = profile.delivery;
  const { after } = windowOf(scheduleSeconds[1] ?? Infinity, jitter);
  if (!canPass(session, after) || !Number.isFinite(after))
    return Object.fromEntries([SUCCESS, REDIRECT, GONE, SUBTRACT].map((id) => [id, UNMOVED]));

  const elsewhere = session.receive();
  const answered = await openAnswering(session, SUCCESS, statusesOf(profile));
  const redirecting = await openAnswering(
    session,
    REDIRECT,
    [301, 302, 303, 307, 308].map((status) => ({ status, headers: { location: elsewhere.url } })),
  );
  const gone = await openAnswering(session, GONE, [{ status: goneStatus }]);
  const leaving = await openAnswering(session, SUBTRACT, [{ status: 500 }]);
  for (const { place, answers } of [answered, redirecting, gone, leaving]) {
    await place.until(
      () => countsOf(place, profile).size >= answers.length,
      session.target.receiver?.deliveryMs ?? 0,
    );
  }
  await settled(session);
  await unsubscribe(session, { key: leaving.key });
  const before = [answered, redirecting].map(({ place }) => countsOf(place, profile));
  await pass(session, after);

  for (const [index, { place, requirement }] of [answered, redirecting].entries()) {
    for (const [id, { answer, count }] of countsOf(place, profile)) {
      const earlier = before[index]?.get(id)?.count ?? 0;
      const status = answer === "silence" ? 0 : answer.status;
      const isEnd = isSuccess(status, profile);
      must(requirement, (count === earlier) === isEnd, () => {
        const wanted = isEnd ? "no further attempt" : "another attempt";
        return `after the answer ${status}: ${wanted} expected, ${count - earlier} came`;
      });
    }
  }
  must(REDIRECT, elsewhere.attempts.length === 0, () => {
    return `a redirect was followed: ${elsewhere.attempts[0]?.method} at the place that it names`;
  });
  must(GONE, gone.place.attempts.length === 1, () => {
    return `after the answer ${goneStatus}: nothing expected, ${gone.place.attempts.length - 1} came`;
  });
  must(SUBTRACT, leaving.place.attempts.length === 1, () => {
    return "what waits for a subscription that ended was attempted again";
  });
  await session.controls.events?.emit(gone.type);
  await settled(session);
  must(GONE, gone.place.attempts.length === 1, () => {
    return `a new event was sent to a receiver that answered ${goneStatus}`;
  });
  return undefined;
}

const UNMOVED = "the schedule's first wait is too long to be waited for, and no clock can be moved";

/** Every success, and failures of each class. */
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
}

/** A subscription that meets each of as many events with an answer of its own. */
async function openAnswering(
  session: Session,
  requirement: string,
  answers: readonly AttemptAnswer[],
): Promise<Answering> {
  const { profile } = session.target;
  const ids: (string | undefined)[] = [];
  const place = session.receive(({ body }) => {
    const id = idOf(body, profile);
    if (!ids.includes(id)) ids.push(id);
    return answers[ids.indexOf(id)] ?? { status: 204 };
  });
  // An event of a name of its own for each subscription, so that they do not mix.
  const types = [...new Set(profile.catalogue.map((row) => row.type))];
  const order = [SUCCESS, REDIRECT, GONE, SUBTRACT];
  const type = types[order.indexOf(requirement) % types.length] ?? "";
  const details = { type: "EVENT", details: [type] } as const;
  const key = await subscribe(session, { requirement, url: place.url, details });
  for (const _ of answers) {
    // oxlint-disable-next-line no-await-in-loop -- a few, in order
    await session.controls.events?.emit(type);
  }
  return { requirement, place, answers, key, type };
}

/** Attempts of each event, and what the first of them was answered. */
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
