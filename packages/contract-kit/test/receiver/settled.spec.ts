import { expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { systemClock } from "../../src/harness/clock.ts";
import { settled } from "../../src/receiver/settled.ts";
import { run } from "../../src/run.ts";
import { openReceiver, type OpenOptions } from "./open-receiver.ts";

/** Opens a receiver for the check alone; `judge` runs it with waits that pass at once, and returns the longest. */
async function prepare(aheadMs: () => number, options: OpenOptions) {
  const deadlineMs = 60_000;
  const waits: number[] = [];
  const clock = {
    now: () => systemClock.now() + aheadMs(),
    elapsed: systemClock.elapsed,
    // Only a deadline is waited for.
    after: (ms: number, call: () => void) => {
      if (ms !== deadlineMs) waits.push(ms);
      return systemClock.after(ms === deadlineMs ? ms : 0, call);
    },
  };
  const target = await openReceiver({ deadlineMs, clock, ...options });
  const judged = { target, checks: [settled], requirements: requirements("receiver") };
  return { target, judge: async () => ({ ...(await run(judged)), ms: Math.max(...waits) }) };
}

it("a time of day that is set back by 96 s during a run makes no wait longer than 5 s", async () => {
  let aheadMs = 96_000;
  const { judge } = await prepare(() => aheadMs, {
    fault: (next) => (request, response) => {
      aheadMs = 0;
      next(request, response);
    },
  });
  const { exitCode, ms } = await judge();
  expect(exitCode).toBe(0);
  expect(ms).toBeLessThanOrEqual(5000);
});

it.each([
  ["no minute for an event that is no longer in progress", 0, 5000],
  ["a minute for an event that is still in progress", 6, 61_000],
])("a slow run waits %s", async (_what, busy, most) => {
  let left = busy;
  const { target, judge } = await prepare(() => 0, {
    slow: true,
    fault: (next) => (request, response) => {
      if (request.headers["webhook-id"] !== "cstest_open" || left === 0)
        return next(request, response);
      left -= 1;
      return request.resume().on("end", () => response.writeHead(503).end());
    },
  });
  const event = target.events.make({ id: "cstest_open", resource: "cstest", at: Date.now() });
  target.runState.unfinished.push({ event, message: "its sender hung up" });
  const { findings, ms } = await judge();
  const judged = findings.find(({ requirement }) => requirement.id === "R-ACK-FAILED");
  expect([judged?.status, judged?.message]).toEqual(["pass", ""]);
  expect(ms).toBeLessThanOrEqual(most);
  expect(ms > 5000).toBe(most > 5000);
});
