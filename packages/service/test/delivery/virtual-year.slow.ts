import { expect, it } from "vitest";
import { answered, CLOCK_START, fakeTransport, openQueue, policy } from "./queue.ts";

const DAY = 86_400_000;
const [SUBSCRIPTIONS, YEAR] = [1000, 365 * DAY];
/** A receiver's answers for the whole year: 204, 410, 500, or 500 until it comes back. */
const fates = ["well", "gone", "never", "back"] as const;
const BACK_AFTER = 1.5 * DAY;

/** Instants of all attempts that the profile makes, from the first one on. */
let sum = 0;
const schedule = policy.schedule.steps.map((step) => (sum += step));
const untilBack = schedule.findIndex((at) => at >= BACK_AFTER) + 1;
const expected = { well: [0], gone: [0], never: schedule, back: schedule.slice(0, untilBack) };

it(`[P-EVENT-RETRY] a virtual year of deliveries keeps ${SUBSCRIPTIONS} subscriptions to the profile's times, each by its fate`, async () => {
  const queue = await openQueue();
  await queue.subscribeMany(SUBSCRIPTIONS);
  const fateOf = (host: string): (typeof fates)[number] =>
    fates[Number(/\d+/.exec(host)?.[0]) % fates.length] ?? "well";
  /** Instants of attempts by host, counted from the beginning. */
  const attempts = new Map<string, number[]>();
  const transport = fakeTransport(async ({ url: { hostname } }) => {
    const at = ((await queue.instant()) ?? 0) - CLOCK_START;
    attempts.set(hostname, [...(attempts.get(hostname) ?? []), at]);
    const fate = fateOf(hostname);
    if (fate === "gone") return answered(410);
    return answered(fate === "well" || (fate === "back" && at >= BACK_AFTER) ? 204 : 500);
  });
  const engine = queue.engine(transport, { policy: { pause: { failures: 10, afterMs: DAY } } });
  const outcome = await queue.advance(engine, CLOCK_START + YEAR);
  expect(outcome).toMatchObject({ ok: true, now: CLOCK_START + YEAR });
  expect(attempts.size).toBe(SUBSCRIPTIONS);
  for (const [host, at] of attempts) expect([host, at]).toEqual([host, expected[fateOf(host)]]);
  const outcomes = await queue.driver.query(
    `SELECT deliveries.state, subscriptions.status, count(*) AS n
     FROM deliveries JOIN subscriptions ON subscriptions.key = subscription_key
     GROUP BY deliveries.state, subscriptions.status ORDER BY deliveries.state`,
  );
  expect(outcomes).toEqual([
    { state: "delivered", status: "ACTIVE", n: SUBSCRIPTIONS / 2 },
    { state: "dropped", status: "CLOSED", n: SUBSCRIPTIONS / 4 },
    { state: "exhausted", status: "PAUSED", n: SUBSCRIPTIONS / 4 },
  ]);
}, 300_000);
