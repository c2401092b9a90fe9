import type { Endpoint, ReceivedAttempt } from "../harness/endpoints.ts";
import { emitInTurn } from "./attempts.ts";
import { secondAttemptMs, TOO_LONG, windowOf } from "./retries.ts";
import type { SenderScenario, TestedSender } from "./tested-sender.ts";

const AFTER = "P-EVENT-RETRY-AFTER";

export const retryAfter: SenderScenario = {
  id: "sender/retry-after",
  title:
    "Retry-After (seconds or a date) delays the next attempt, up to the factor of the schedule's step",
  run: async (sender) => {
    const { sending, reader } = sender;
    const step = sending?.scheduleSeconds[1];
    if (sending === undefined || step === undefined) return waitsAsAsked(sender);
    const { jitter, retryAfterFactor: factor } = sending;
    const [latest, most] = [step * (1 + jitter), step * factor];
    // Whole seconds, since headers and some clocks have no fractions.
    const soon = Math.floor(latest) + 1;
    const within = Math.floor(soon + (most - soon) / 2) + 1;
    if (within >= most)
      return sender.notApplicable(AFTER, "the sender's factor leaves no time between");
    if (!(await sender.canWait((most + 1) * 1000))) return sender.notApplicable(AFTER, TOO_LONG);

    // A date is in real time, wherever the target's clock is.
    const asked = [
      ["1", () => "1"],
      [String(within), () => String(within)],
      ["far beyond", () => String(Math.ceil(most) * 100)],
      [`a date in ${within} s`, () => new Date(Date.now() + within * 1000).toUTCString()],
      ["a date that has passed", () => new Date(Date.now() - 86_400_000).toUTCString()],
    ] as const;
    const endpoint = await askEach(
      sender,
      asked.map(([, after]) => after),
    );
    await sender.settled();
    const counts = (): readonly number[] =>
      [...reader.byEvent(endpoint).values()].map(({ length }) => length);
    const expectCounts = (wanted: readonly number[], when: string): void => {
      const seen = counts();
      for (const [index, count] of wanted.entries()) {
        const what = `attempts after Retry-After: ${asked[index]?.[0]}, of a step of ${step} s, ${when}`;
        sender.expectEqual(AFTER, what, seen[index], count);
      }
    };
    expectCounts([1, 1, 1, 1, 1], "at once");
    const early = windowOf(step, jitter).earliest / 1000;
    await sender.wait(early * 1000);
    expectCounts([1, 1, 1, 1, 1], `after ${early} s`);
    await sender.wait((soon - early) * 1000);
    await endpoint.until(() => [0, 4].every((index) => (counts()[index] ?? 0) > 1));
    expectCounts([2, 1, 1, 1, 2], `after ${soon} s`);
    const end = Math.ceil(most) + 1;
    await sender.wait((end - soon) * 1000);
    await endpoint.until(() => counts().every((count) => count > 1));
    expectCounts([2, 2, 2, 2], `after ${end} s`);
  },
};

/** Answers 503 to one event for each Retry-After. */
async function askEach(sender: TestedSender, values: readonly (() => string)[]): Promise<Endpoint> {
  const answers = values.map((value) => () => {
    return { status: 503, headers: { "retry-after": value() } };
  });
  const { endpoint } = await sender.subscribe({ answer: sender.reader.answerEach(answers) });
  await emitInTurn(sender, endpoint, values.length);
  return endpoint;
}

/** Seconds by which a retry must be later than the sender's own delay. */
const LATER_SECONDS = 2;
const DAY_SECONDS = 86_400;

/** A sender may wait longer than Retry-After says, by half and by some seconds. */
const SPARE_FACTOR = 1.5;
const SPARE_SECONDS = 5;

/**
 * Without a schedule, the next attempt is at least as late as Retry-After says, and not much later. If the provider's
 * document has a factor, the delay that it allows is the longest one, also for a Retry-After of a day.
 */
async function waitsAsAsked(sender: TestedSender): Promise<void> {
  const { reader } = sender;
  const usual = await secondAttemptMs(sender, AFTER);
  if (usual === undefined) return;
  if (usual === 0)
    return sender.notApplicable(AFTER, "a command makes the sender repeat at once (--repeat)");
  const seconds = Math.ceil(usual / 1000) + LATER_SECONDS;
  const factor = reader.provider.sending?.retryAfterFactor;
  const most = factor === undefined ? Infinity : (usual / 1000) * factor;
  const longest = most === Infinity ? seconds : Math.max(seconds, most);
  if (!(await sender.canWait(longest * 1000))) return sender.notApplicable(AFTER, TOO_LONG);
  const forms = [
    { form: `${seconds} s`, least: seconds, value: () => String(seconds) },
    {
      form: `a date in ${seconds} s`,
      // A date has whole seconds: it may be a second sooner.
      least: seconds - 1,
      value: () => new Date(Date.now() + seconds * 1000).toUTCString(),
    },
    { form: "a day", least: 0, value: () => String(DAY_SECONDS) },
  ];
  const asked = most === Infinity ? forms.slice(0, 2) : forms;
  const endpoint = await askEach(
    sender,
    asked.map(({ value }) => value),
  );
  const events = (): readonly (readonly ReceivedAttempt[])[] => [
    ...reader.byEvent(endpoint).values(),
  ];
  const latest = longest * SPARE_FACTOR + SPARE_SECONDS;
  await endpoint.until(() => events().every(({ length }) => length > 1), latest * 1000);
  for (const [index, { form, least }] of asked.entries()) {
    const [first, second] = events()[index] ?? [];
    const waited = ((second?.at ?? Infinity) - (first?.at ?? 0)) / 1000;
    const isInTime = waited >= Math.min(least, most) && waited < Infinity;
    const got = second === undefined ? "no attempt" : `one after ${waited.toFixed(1)} s`;
    const untimely = `Retry-After: ${form}, of a delay of ${(usual / 1000).toFixed(1)} s: expected the next attempt then, at most after ${longest} s, got ${got}`;
    sender.expect(AFTER, isInTime, untimely);
  }
}
