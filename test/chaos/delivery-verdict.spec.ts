import { expect, it } from "vitest";
import { openQueue } from "../../packages/service/test/delivery/queue.ts";
import { NO_FAULT, verdictOf } from "./delivery-verdict.ts";

it("the verdict of a delivery campaign reports each event as its row and its arrivals say, never a wait as a loss", async () => {
  const queue = await openQueue("sub_1");
  await queue.publish(3, ["sub_1"]);
  const set = (change: string): Promise<unknown> =>
    queue.write(`UPDATE deliveries SET ${change} WHERE event_id = 'evt_1'`);
  const verdict = (times: number, written = ["evt_1", "evt_2", "evt_3"]) => {
    const arrived = { evt_1: times, evt_2: 1, evt_3: 1 };
    return verdictOf(queue.driver, written, new Map(Object.entries(arrived)));
  };
  await queue.write("UPDATE deliveries SET state = 'delivered', next_at = NULL, attempts = 1");
  const none = { ...NO_FAULT, repeated: 0 };
  expect(await verdict(1)).toEqual(none);
  expect(await verdict(2)).toEqual({ ...none, repeated: 1 });
  const row = expect.stringMatching(/^evt_1 arrived 0 times, dlv_1 is delivered/) as unknown;
  const noRow = "evt_99 arrived 0 times, and the store has no delivery of it";
  expect(await verdict(0, ["evt_1", "evt_99"])).toEqual({ ...none, lost: [row, noRow] });
  for (const state of ["exhausted", "dropped", "waiting"]) {
    await set(`state = '${state}'`);
    const [never, once] = [await verdict(0), await verdict(1)];
    expect([state, never.lost.length, never.mistold.length]).toEqual([state, 1, 0]);
    expect([state, once.lost.length, once.mistold.length]).toEqual([state, 0, 1]);
  }
  await set("next_at = 86400000, attempts = 9, last_error = 'CS_ATTEMPT_TIMEOUT'");
  const line = (times: number, status: string): string =>
    `evt_1 arrived ${String(times)} times, dlv_1 is waiting after 9 attempts, last CS_ATTEMPT_TIMEOUT; ` +
    `next at 1970-01-02T00:00:00.000Z, its subscription ${status}`;
  expect(await verdict(0)).toEqual({ ...none, waiting: [line(0, "ACTIVE")] });
  await queue.write("UPDATE subscriptions SET status = 'PAUSED'");
  expect(await verdict(1)).toEqual({ ...none, waiting: [line(1, "PAUSED")] });
});
