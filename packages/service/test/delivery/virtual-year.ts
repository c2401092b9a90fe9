import { expect } from "vitest";
import { answered, CLOCK_START, fakeTransport, openQueue, policy } from "./queue.ts";

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const YEAR = 365 * DAY;

/** How a receiver fares in the year: by its subscription's number. */
const fates = ["well", "gone", "never", "back"] as const;
const fateOf = (host: string): (typeof fates)[number] =>
  fates[Number(/\d+/.exec(host)?.[0] ?? 0) % fates.length] ?? "well";
/** From when on those answer that come back. */
const BACK_AT = CLOCK_START + 36 * 3600 * SECOND;

/** The profile's instants, from the first attempt on. */
const instants = policy.schedule.steps.map((_, at) =>
  policy.schedule.steps.slice(0, at + 1).reduce((sum, step) => sum + step, 0),
);

/**
 * Lets a year pass for subscriptions with an event each, and expects that they keep to the profile's times.
 *
 * @returns How many were attempted.
 */
export async function expectProfileTimes(subscriptions: number): Promise<number> {
  const queue = await openQueue();
  await queue.subscribeMany(subscriptions);
  /** Instants of attempts, by host, as differences from the beginning. */
  const attempts = new Map<string, number[]>();
  const transport = fakeTransport(async ({ url: { hostname } }) => {
    const now = (await queue.instant()) ?? 0;
    attempts.set(hostname, [...(attempts.get(hostname) ?? []), now - CLOCK_START]);
    const fate = fateOf(hostname);
    if (fate === "gone") return answered(410);
    const isUp = fate === "well" || (fate === "back" && now >= BACK_AT);
    return answered(isUp ? 204 : 500);
  });
  const engine = queue.engine(transport, { policy: { pause: { failures: 10, afterMs: DAY } } });
  const outcome = await queue.advance(engine, CLOCK_START + YEAR);
  expect(outcome).toMatchObject({ ok: true, now: CLOCK_START + YEAR });
  const back = instants.filter(
    (_, index) => index === 0 || (instants[index - 1] ?? 0) < BACK_AT - CLOCK_START,
  );
  const expected = { well: [0], gone: [0], never: instants, back };
  for (const [host, at] of attempts) expect([host, at]).toEqual([host, expected[fateOf(host)]]);
  const counts = (table: string, column: string): Promise<unknown[]> =>
    queue.driver.query(
      `SELECT ${column} AS name, CAST(count(*) AS bigint) AS n FROM ${table} GROUP BY ${column} ORDER BY 1`,
    );
  const [half, quarter] = [subscriptions / 2, subscriptions / 4];
  expect(await counts("deliveries", "state")).toEqual([
    { name: "delivered", n: half },
    { name: "dropped", n: quarter },
    { name: "exhausted", n: quarter },
  ]);
  expect(await counts("subscriptions", "status")).toEqual([
    { name: "ACTIVE", n: half },
    { name: "CLOSED", n: quarter },
    { name: "PAUSED", n: quarter },
  ]);
  return attempts.size;
}
