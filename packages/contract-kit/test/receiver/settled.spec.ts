import { expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { systemClock } from "../../src/harness/clock.ts";
import { settled } from "../../src/receiver/settled.ts";
import { run } from "../../src/run.ts";
import { openReceiver } from "./open-receiver.ts";

it("a time of day that is set back by 96 s during a run makes no wait longer than 5 s", async () => {
  const deadlineMs = 60_000;
  const waits: number[] = [];
  let aheadMs = 96_000;
  const target = await openReceiver({
    deadlineMs,
    clock: {
      now: () => systemClock.now() + aheadMs,
      elapsed: systemClock.elapsed,
      // Only a deadline is waited for.
      after: (ms, call) => {
        if (ms < deadlineMs) waits.push(ms);
        return systemClock.after(ms < deadlineMs ? 0 : ms, call);
      },
    },
    fault: (next) => (request, response) => {
      aheadMs = 0;
      next(request, response);
    },
  });
  const options = { target, checks: [settled], requirements: requirements("receiver") };
  const { exitCode } = await run(options);
  expect(exitCode).toBe(0);
  expect(Math.max(...waits)).toBeLessThanOrEqual(5000);
});
