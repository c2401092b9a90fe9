import { fakeClock } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized } from "../fixtures.ts";

describe("fakeClock", () => {
  it("stands until it is moved", () => {
    const { now, advance } = fakeClock(NOON);
    expect([now(), now()]).toEqual([NOON, NOON]);
    advance(1);
    expect(now()).toBe(NOON + 1);
  });

  it("begins with 2026 by default", () => {
    expect(new Date(fakeClock().now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
  });

  it("moves a receiver past the signature's tolerance", async () => {
    const clock = fakeClock(NOON);
    const { receiver } = recordingReceiver({ now: clock.now });
    clock.advance(300_000);
    expect((await receiver.receive(attemptOf(refundAuthorized("evt_1")))).kind).toBe("handled");
    clock.advance(1000);
    expect((await receiver.receive(attemptOf(refundAuthorized("evt_2")))).kind).toBe("rejected");
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("never moves by %d ms", (ms) => {
    expect(() => fakeClock().advance(ms)).toThrow(TypeError);
    expect(() => fakeClock(ms)).toThrow(TypeError);
  });
});
