import { randomInt } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { advanceClock } from "../../src/delivery/advance-clock.ts";
import { Deliverer } from "../../src/delivery/deliver.ts";
import type { DeliveryPolicy } from "../../src/delivery/policy.ts";
import { seeded } from "../../../../test/fuzz/random.ts";
import { answered, CLOCK_START, fakeTransport, openQueue, policy, type Queue } from "./queue.ts";

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const YEAR = 365 * DAY;
const seed = randomInt(2 ** 31);

/** How a receiver fares in the year: by its subscription's number. */
const fates = ["well", "gone", "never", "back"] as const;
const fateOf = (host: string): (typeof fates)[number] =>
  fates[Number(/\d+/.exec(host)?.[0] ?? 0) % fates.length] ?? "well";
/** From when on those answer that come back. */
const BACK_AT = CLOCK_START + 36 * 3600 * SECOND;

interface Year {
  /** Instants of attempts, by subscription, as differences from the beginning. */
  readonly attempts: ReadonlyMap<string, readonly number[]>;
  readonly queue: Queue;
}

/** A year of some subscriptions, each with an event at its beginning. */
async function year(
  subscriptions: number,
  { jitter, seed: chosen }: { jitter: number; seed: number },
): Promise<Year> {
  const queue = await openQueue();
  const random = seeded(chosen);
  await queue.subscribeMany(subscriptions);
  const attempts = new Map<string, number[]>();
  let now = CLOCK_START;
  const transport = fakeTransport(({ url }) => {
    const name = url.hostname;
    attempts.set(name, [...(attempts.get(name) ?? []), now - CLOCK_START]);
    const fate = fateOf(name);
    if (fate === "gone") return answered(410);
    const isUp = fate === "well" || (fate === "back" && now >= BACK_AT);
    return answered(isUp ? 204 : 500);
  });
  const ports = {
    ...queue.ports(transport),
    random: { bytes: (length: number) => random.bytes(length) },
  };
  const strict: DeliveryPolicy = {
    ...policy,
    schedule: { ...policy.schedule, jitter },
    pause: { failures: 10, afterMs: DAY },
  };
  const deliverer = new Deliverer(ports, strict);
  onTestFinished(() => deliverer.stop({ graceMs: 1000 }));
  const drain = async (clockId: string): Promise<boolean> => {
    now = (await queue.instant()) ?? now;
    return deliverer.drain(clockId);
  };
  const outcome = await advanceClock(
    { clockId: "clk_1", to: CLOCK_START + YEAR },
    {
      driver: queue.driver,
      clock: ports.clock,
      deliverer: { drain },
      moveDueRefunds: async () => ({ passedOver: [] }),
    },
  );
  expect(outcome).toMatchObject({ ok: true, now: CLOCK_START + YEAR });
  return { attempts, queue };
}

/** The profile's instants, from the first attempt on. */
const instants = policy.schedule.steps.map((_, at) =>
  policy.schedule.steps.slice(0, at + 1).reduce((sum, step) => sum + step, 0),
);

describe(`a year of deliveries (seed ${String(seed)})`, () => {
  it("[P-EVENT-RETRY] keeps 1,000 subscriptions to the profile's times, each by its fate", async () => {
    const { attempts, queue } = await year(1000, { jitter: 0, seed });
    const back = instants.filter(
      (at, index) => index === 0 || (instants[index - 1] ?? 0) < BACK_AT - CLOCK_START,
    );
    const expected = { well: [0], gone: [0], never: instants, back };
    for (const [host, at] of attempts) expect([host, at]).toEqual([host, expected[fateOf(host)]]);
    expect(attempts.size).toBe(1000);
    const states = await queue.driver.query(
      "SELECT state, CAST(count(*) AS bigint) AS n FROM deliveries GROUP BY state ORDER BY state",
    );
    expect(states).toEqual([
      { state: "delivered", n: 500 },
      { state: "dropped", n: 250 },
      { state: "exhausted", n: 250 },
    ]);
    const statuses = await queue.driver.query(
      "SELECT status, CAST(count(*) AS bigint) AS n FROM subscriptions GROUP BY status ORDER BY status",
    );
    expect(statuses).toEqual([
      { status: "ACTIVE", n: 500 },
      { status: "CLOSED", n: 250 },
      { status: "PAUSED", n: 250 },
    ]);
  });

  it("is the same year for the same seed, within the jitter, and another one for another", async () => {
    const timesOf = async (chosen: number): Promise<(readonly [string, readonly number[]])[]> =>
      [...(await year(12, { jitter: 0.1, seed: chosen })).attempts].toSorted(([a], [b]) =>
        a < b ? -1 : 1,
      );
    const first = await timesOf(seed);
    expect(await timesOf(seed)).toEqual(first);
    expect(await timesOf(seed + 1)).not.toEqual(first);
    for (const [, times] of first) {
      times.slice(1).forEach((at, index) => {
        const step = policy.schedule.steps[index + 1] ?? 0;
        expect(Math.abs(at - (times[index] ?? 0) - step)).toBeLessThanOrEqual(step * 0.1);
      });
    }
  });
});
