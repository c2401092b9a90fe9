import { fakeClock } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized } from "../fixtures.ts";

describe("fakeClock", () => {
  it("starts with 2026 by default", () => {
    expect(new Date(fakeClock().now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
  });

  it("moves a receiver past the signature's tolerance only when a test advances it", async () => {
    const { now, advance } = fakeClock(NOON);
    const { receiver } = recordingReceiver({ now });
    advance(300_000);
    expect([now(), now()]).toEqual([NOON + 300_000, NOON + 300_000]);
    expect((await receiver.receive(attemptOf(refundAuthorized("evt_1")))).kind).toBe("handled");
    advance(1000);
    expect((await receiver.receive(attemptOf(refundAuthorized("evt_2")))).kind).toBe("rejected");
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses to move by %d ms", (ms) => {
    expect(() => fakeClock().advance(ms)).toThrow(TypeError);
    expect(() => fakeClock(ms)).toThrow(TypeError);
  });
});
