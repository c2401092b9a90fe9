import { setTimeout } from "node:timers/promises";
import { attemptExchange, type AttemptAnswer, type ReceivedAttempt } from "../harness/endpoints.ts";
import { emitInTurn } from "./attempts.ts";
import { secondAttemptMs } from "./retries.ts";
import type { TestedSender, SenderScenario } from "./tested-sender.ts";

const SUCCESS = "P-EVENT-SUCCESS";
const REDIRECT = "P-EVENT-NO-REDIRECT";

const STATUSES = [200, 201, 202, 204, 299, 400, 401, 404, 409, 500, 503];
const REDIRECTS = [301, 302, 303, 307, 308];
const GONE_STATUS = 410;

export const attemptAnswers: SenderScenario = {
  id: "sender/attempt-answers",
  title: "a success ends the attempts; a refusal, a redirect and a broken connection do not",
  run: async (sender) => {
    const { reader } = sender;
    const after = await secondAttemptMs(sender, SUCCESS);
    // A redirect leads to the endpoint with another query: some senders have no second endpoint.
    const isRedirected = ({ path }: { readonly path: string }) => path.endsWith("?redirected");
    const goneStatus = sender.sending?.goneStatus ?? GONE_STATUS;
    const statuses: readonly AttemptAnswer[] = [
      ...STATUSES.filter((status) => status !== goneStatus).map((status) => ({ status })),
      "reset",
      ...REDIRECTS.map((status) => ({ status, headers: { location: "?redirected" } })),
    ];
    const each = reader.answerEach(statuses);
    const { endpoint } = await sender.subscribe({
      answer: (attempt, earlier) =>
        isRedirected(attempt) ? { status: 204 } : each(attempt, earlier),
    });
    await emitInTurn(sender, endpoint, statuses.length);
    await sender.settled();
    const followed = endpoint.attempts.filter(isRedirected);
    sender.expectEqual(REDIRECT, "redirects that were followed", followed.length, 0);
    if (after === undefined) return;
    // Some retries may be due already: triggers take time.
    await sender.wait(after);
    const attempts = () => [...reader.byEvent(endpoint).values()];
    const isOver = ([first, ...more]: readonly ReceivedAttempt[]): boolean =>
      more.length > 0 || isSuccess(first, sender);
    await endpoint.until(() => attempts().every(isOver), after);
    for (const all of attempts()) {
      const [first, ...more] = all.filter((attempt) => !isRedirected(attempt));
      if (first === undefined) continue;
      const { answer } = first;
      const status = typeof answer === "string" ? answer : answer.status;
      const isRedirect = REDIRECTS.some((one) => one === status);
      const isEnd = isSuccess(first, sender);
      const wanted = isEnd ? "no further attempt" : "another attempt";
      const message = `after the answer ${status}: expected ${wanted}, got ${more.length}`;
      const shown = [first, ...more].map(attemptExchange);
      const holds = (more.length === 0) === isEnd;
      sender.expect(isRedirect ? REDIRECT : SUCCESS, holds, message, shown);
    }
  },
};

function isSuccess(
  attempt: ReceivedAttempt | undefined,
  { sending, reader }: Pick<TestedSender, "sending" | "reader">,
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
  run: async (sender) => {
    const { reader, sending } = sender;
    const status = sending?.goneStatus ?? GONE_STATUS;
    const after = await secondAttemptMs(sender, GONE);
    if (!sender.mayEnd)
      return sender.notApplicable(GONE, "410 would end the sender's only endpoint (--subscribe)");
    const other = sender.hasSeveralEndpoints ? await sender.subscribe() : undefined;
    const { endpoint } = await sender.subscribe({ answer: () => ({ status }) });
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
      await sender.wait(after);
      const more = endpoint.attempts.length - before;
      sender.expectEqual(GONE, `further attempts after the answer ${status}`, more, 0);
    }
    if (sender.keepsEndpoints) {
      const before = attempts();
      emitted.push({ id: await sender.emit() });
      await sender.settled();
      const what = `attempts of a later event after the answer ${status}`;
      sender.expectEqual(GONE, what, attempts() - before, 0);
    }
    if (other === undefined)
      return sender.notApplicable(GONE_ALONE, "a second endpoint cannot be subscribed");
    const missing = await reader.missingAt(other.endpoint, emitted);
    const what = `events that are missing after another receiver answered ${status}`;
    sender.expectEqual(GONE_ALONE, what, missing.length, 0);
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
  run: async (sender) => {
    const { sending, reader } = sender;
    const seconds = reader.provider.answer?.deadlineSeconds;
    const timeoutMs = sending?.timeoutMs ?? (seconds === undefined ? undefined : seconds * 1000);
    if (timeoutMs === undefined)
      return sender.notApplicable(TIMEOUT, "the provider's document has no deadline of an answer");
    if (timeoutMs > QUICK_MS && !sender.isSlow) {
      const reason = `only a slow run (--slow) waits for an attempt's timeout of ${timeoutMs} ms`;
      return sender.notApplicable(TIMEOUT, reason);
    }
    const after = await secondAttemptMs(sender, TIMEOUT);
    if (after === undefined) return;
    // Without a schedule the timeout is what the provider's receivers have: the sender's own may be shorter.
    const late: readonly AttemptAnswer[] =
      sending === undefined ? [] : [{ status: 204, afterMs: timeoutMs / 2 }];
    const answers: AttemptAnswer[] = ["silence"];
    const silentOnce = (): AttemptAnswer => answers.pop() ?? { status: 204 };
    const { endpoint } = await sender.subscribe({
      answer: reader.answerEach([silentOnce, ...late]),
    });
    const haveArrived = await emitInTurn(sender, endpoint, 1 + late.length);
    if (!sender.expect(TIMEOUT, haveArrived, "no attempt arrived in time")) return;
    await setTimeout(timeoutMs + MARGIN_MS);
    // Too late for a sender whose timeout has passed; another would wait for it, and count it as a success.
    endpoint.answerWaiting();
    await sender.settled();
    await sender.wait(after);
    const of = (index: number): number =>
      [...reader.byEvent(endpoint).values()][index]?.length ?? 0;
    await endpoint.until(() => of(0) > 1);
    const single = `attempts after ${timeoutMs} ms of silence: expected a second one, got ${of(0)}`;
    sender.expect(TIMEOUT, sending === undefined ? of(0) > 1 : of(0) === 2, single);
    const what = `attempts after an answer in time, after ${timeoutMs / 2} ms`;
    sender.expectEqual(TIMEOUT, what, of(1), late.length);
  },
};
