import { setTimeout } from "node:timers/promises";
import type { AttemptAnswer, ReceivedAttempt } from "../harness/endpoints.ts";
import { secondAttemptMs } from "./retries.ts";
import type { Sender, SenderScenario } from "./sender.ts";

const SUCCESS = "P-EVENT-SUCCESS";
const REDIRECT = "P-EVENT-NO-REDIRECT";

const STATUSES = [200, 201, 202, 204, 299, 400, 401, 404, 409, 500, 503];
const REDIRECTS = [301, 302, 303, 307, 308];
const GONE_STATUS = 410;

export const attemptAnswers: SenderScenario = {
  id: "sender/attempt-answers",
  title: "a success ends the attempts; a refusal, a redirect and a broken connection do not",
  requirements: [SUCCESS, REDIRECT],
  run: async (sender) => {
    const { reader } = sender;
    const after = await secondAttemptMs(sender, SUCCESS);
    // A redirect leads to the endpoint with another query: some senders have no second endpoint.
    const elsewhere: ReceivedAttempt[] = [];
    const goneStatus = sender.sending?.goneStatus ?? GONE_STATUS;
    const statuses: readonly AttemptAnswer[] = [
      ...STATUSES.filter((status) => status !== goneStatus).map((status) => ({ status })),
      "reset",
      ...REDIRECTS.map((status) => ({ status, headers: { location: "?redirected" } })),
    ];
    const each = reader.answerEach(statuses);
    const { endpoint } = await sender.subscribe({
      answer: (attempt, earlier) => {
        if (!attempt.path.endsWith("?redirected")) return each(attempt, earlier);
        elsewhere.push({ ...attempt, answer: { status: 204 } });
        return { status: 204 };
      },
      types: sender.types.slice(0, 1),
    });
    for (const [index] of statuses.entries()) {
      await sender.emit();
      await endpoint.until(() => reader.byEvent(endpoint).size > index);
    }
    await sender.settled();
    sender.expect(REDIRECT, elsewhere.length === 0, () => {
      return `${elsewhere.length} redirects of ${REDIRECTS.length} were followed`;
    });
    if (after === undefined) return;
    // Some retries may be due already: triggers take time.
    await sender.pass(after);
    await endpoint.until(
      () =>
        [...reader.byEvent(endpoint).values()].every(
          (attempts) => attempts.length > 1 || isSuccess(attempts[0], sender),
        ),
      after,
    );
    for (const attempts of reader.byEvent(endpoint).values()) {
      const [first, ...more] = attempts.filter(({ path }) => !path.endsWith("?redirected"));
      if (first === undefined) continue;
      const { answer } = first;
      const status = typeof answer === "string" ? answer : answer.status;
      const isRedirect = REDIRECTS.some((one) => one === status);
      const isEnd = isSuccess(first, sender);
      sender.expect(isRedirect ? REDIRECT : SUCCESS, (more.length === 0) === isEnd, () => {
        const wanted = isEnd ? "no further attempt" : "another attempt";
        return `after the answer ${status}: expected ${wanted}, got ${more.length}`;
      });
    }
  },
};

function isSuccess(
  attempt: ReceivedAttempt | undefined,
  { sending, reader }: Pick<Sender, "sending" | "reader">,
): boolean {
  const answer = attempt?.answer ?? "silence";
  if (typeof answer === "string") return false;
  const only = sending?.success === "200" ? 200 : reader.provider.answer?.success;
  return only === undefined ? answer.status >= 200 && answer.status <= 299 : answer.status === only;
}

const GONE = "P-EVENT-GONE";
const GONE_ALONE = "P-EVENT-GONE-ALONE";

export const gone: SenderScenario = {
  id: "sender/gone",
  title: "410 ends the deliveries of its subscription, and of no other",
  requirements: [GONE, GONE_ALONE],
  run: async (sender) => {
    const { reader, sending } = sender;
    const status = sending?.goneStatus ?? GONE_STATUS;
    const after = await secondAttemptMs(sender, GONE);
    if (!sender.mayEnd)
      return sender.notApplicable(GONE, "410 would end the sender's only endpoint (--reopen)");
    const types = sender.types.slice(0, 1);
    const other = sender.hasSeveralEndpoints ? await sender.subscribe({ types }) : undefined;
    const { endpoint } = await sender.subscribe({ answer: () => ({ status }), types });
    const emitted = [{ id: await sender.emit() }];
    // Only then has the sender seen the answer, and events that others cause do not count.
    await endpoint.until(({ length }) => length > 0);
    await sender.settled();
    if (endpoint.attempts.length === 0) return;
    const attempts = (): number =>
      endpoint.attempts.filter((attempt) =>
        emitted.some(({ id }) => id === undefined || id === reader.key(attempt)),
      ).length;
    if (after !== undefined) {
      const { length: before } = endpoint.attempts;
      await sender.pass(after);
      const more = endpoint.attempts.length - before;
      sender.expect(GONE, more === 0, () => {
        return `after the answer ${status}: expected no further attempt, got ${more}`;
      });
    }
    if (sender.keepsEndpoints) {
      const before = attempts();
      emitted.push({ id: await sender.emit() });
      await sender.settled();
      sender.expect(GONE, attempts() === before, () => {
        return `an event was sent to a receiver that had answered ${status} before`;
      });
    }
    await sender.reopen?.();
    if (other === undefined)
      return sender.notApplicable(GONE_ALONE, "a second endpoint cannot be subscribed");
    const missing = await reader.missingAt(other.endpoint, emitted);
    sender.expect(GONE_ALONE, missing.length === 0, () => {
      return `after another receiver answered ${status}: ${missing.length} of ${emitted.length} events did not arrive`;
    });
  },
};

const TIMEOUT = "P-EVENT-TIMEOUT";
/** Largest timeout of an attempt, in milliseconds of real time, that a run without `--slow` waits for. */
const QUICK_MS = 1000;
/** Milliseconds after the deadline until the attempt is recorded as failed. */
const MARGIN_MS = 500;

export const attemptDeadline: SenderScenario = {
  id: "sender/attempt-deadline",
  title: "an attempt fails if it is not answered in time, and not before",
  requirements: [TIMEOUT],
  run: async (sender) => {
    const { sending, reader } = sender;
    const seconds = reader.provider.answer?.deadlineSeconds;
    const timeoutMs = sending?.timeoutMs ?? (seconds === undefined ? undefined : seconds * 1000);
    if (timeoutMs === undefined)
      return sender.notApplicable(TIMEOUT, "the provider's document has no deadline of an answer");
    if (timeoutMs > QUICK_MS && !sender.isSlow) {
      const reason = `the ${timeoutMs} ms of an attempt are waited for in a slow run only`;
      return sender.notApplicable(TIMEOUT, reason);
    }
    const after = await secondAttemptMs(sender, TIMEOUT);
    if (after === undefined) return;
    const types = sender.types.slice(0, 1);
    // Without a schedule the timeout is what the provider's receivers have: the sender's own may be shorter.
    const late: readonly AttemptAnswer[] =
      sending === undefined ? [] : [{ status: 204, afterMs: timeoutMs / 2 }];
    const answers: AttemptAnswer[] = ["silence"];
    const silentOnce = (): AttemptAnswer => answers.pop() ?? { status: 204 };
    const { endpoint } = await sender.subscribe({
      answer: reader.answerEach([silentOnce, ...late]),
      types,
    });
    for (let count = 1; count <= 1 + late.length; count += 1) {
      await sender.emit();
      const hasArrived = await endpoint.until(() => reader.byEvent(endpoint).size >= count);
      if (!sender.expect(TIMEOUT, hasArrived, () => "no attempt arrived in time")) return;
    }
    await setTimeout(timeoutMs + MARGIN_MS);
    // Too late for a sender whose timeout has passed; another would wait for it, and count it as a success.
    endpoint.answerWaiting();
    await sender.settled();
    await sender.pass(after);
    const of = (index: number): number =>
      [...reader.byEvent(endpoint).values()][index]?.length ?? 0;
    await endpoint.until(() => of(0) > 1);
    sender.expect(TIMEOUT, sending === undefined ? of(0) > 1 : of(0) === 2, () => {
      return `attempts after ${timeoutMs} ms of silence: expected a second one, got ${of(0)}`;
    });
    sender.expect(TIMEOUT, of(1) === late.length, () => {
      return `attempts after an answer in time, after ${timeoutMs / 2} ms: expected 1, got ${of(1)}`;
    });
  },
};
