import {
  abortDelivery,
  createReceiver,
  exponentialBackoff,
  type Inbox,
  type InboxQueue,
  memoryInbox,
} from "@countersign/receiver";
import { redisInbox } from "@countersign/receiver/redis";
import { profiles } from "@countersign/schemas/profiles";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const HORIZON = profiles.standard.delivery.scheduleSeconds.reduce((a, b) => a + b, 0) * 1000;
/** An inbox with a queue, as far as options are checked. */
const durable = (): Inbox => ({ ...memoryInbox(), queue: {} as InboxQueue });
const withoutOrder = { ...memoryInbox(), lastHandled: undefined };

/** Options as plain JavaScript may pass them. */
const create = (options: object): unknown =>
  createReceiver({ secrets: [secret], fallback: () => undefined, ...options });
const storing = (workers: object): object => ({
  acknowledge: "after-store",
  inbox: durable(),
  workers,
});

describe("createReceiver", () => {
  it.each([
    ["a retention shorter than the retries last", { retention: HORIZON - 1 }, /"retention"/],
    [
      "an inbox that forgets before",
      { inbox: memoryInbox({ retentionMs: HORIZON - 1 }) },
      /"retention"/,
    ],
    ["a retention of NaN", { retention: Number.NaN }, /positive integer/],
    ["an unknown order", { order: "newest" }, /"none" or "per-resource"/],
    [
      "an order that the inbox cannot tell",
      { order: "per-resource", inbox: withoutOrder },
      /lastHandled/,
    ],
    ["an unknown onIdReuse", { onIdReuse: "ignore" }, /"conflict" or "duplicate"/],
    [
      "after-store with memory",
      { acknowledge: "after-store" },
      /needs sqliteInbox or postgresInbox/,
    ],
    [
      "after-store with Redis",
      {
        acknowledge: "after-store",
        inbox: redisInbox({ call: () => Promise.resolve(null) }, { prefix: "shop" }),
      },
      /needs sqliteInbox or postgresInbox/,
    ],
    ["workers without after-store", { workers: {} }, /after-store/],
    ["a mistyped member of workers", storing({ concurency: 1 }), /did you mean "concurrency"/],
    ["a concurrency of 0", storing({ concurrency: 0 }), /workers.concurrency/],
    ["no attempts", storing({ maxAttempts: 0 }), /workers.maxAttempts/],
    ["a backoff that is no function", storing({ backoff: 5000 }), /exponentialBackoff/],
  ])("refuses %s", (_what, options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
  });

  it("takes a retention as long as the retries last", () => {
    expect(() => create({ retention: HORIZON })).not.toThrow();
    expect(() => create(storing({ concurrency: 1, maxAttempts: 1, pollMs: 1 }))).not.toThrow();
  });
});

describe("exponentialBackoff", () => {
  it("waits between half of its longest and its longest, and the longest grow fourfold to six hours", () => {
    const longest = exponentialBackoff({ random: () => 1 });
    const shortest = exponentialBackoff({ random: () => 0 });
    const attempts = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const seconds = [5, 20, 80, 320, 1280, 5120, 20_480, 21_600, 21_600];
    expect(attempts.map((attempt) => longest(attempt) / 1000)).toEqual(seconds);
    expect(attempts.map((attempt) => (shortest(attempt) / 1000) * 2)).toEqual(seconds);
  });

  it("is never longer than allowed, nor below half of its base, whatever the attempt", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), random, (attempt, value) => {
        const wait = exponentialBackoff({ baseMs: 100, maxMs: 5000, random: () => value })(attempt);
        expect(wait).toBeGreaterThanOrEqual(50);
        expect(wait).toBeLessThanOrEqual(5000);
      }),
    );
  });

  it.each([{ baseMs: 0 }, { factor: 0.5 }, { maxMs: Number.NaN }])("refuses %o", (options) => {
    expect(() => exponentialBackoff(options)).toThrow(TypeError);
  });

  it("accepts a base, a factor and a maximum of 1", () => {
    const backoff = exponentialBackoff({ baseMs: 1, factor: 1, maxMs: 1, random: () => 1 });
    expect(backoff(9)).toBe(1);
  });
});

describe("abortDelivery", () => {
  const respond = abortDelivery({ codes: ["CS_EVENT_SCHEMA"] });

  it("asks the sender to stop only for its codes", () => {
    const headers = (code: "CS_EVENT_SCHEMA" | "CS_EVENT_ENVELOPE"): unknown =>
      respond({ kind: "rejected", code }).headers["webhook-delivery"];
    expect(headers("CS_EVENT_SCHEMA")).toBe("abort-message");
    expect(respond({ kind: "rejected", code: "CS_EVENT_SCHEMA" }).status).toBe(422);
    expect(headers("CS_EVENT_ENVELOPE")).toBeUndefined();
    const event = { key: { tenant: "", id: "evt_1" }, type: "refund.failed" };
    expect(respond({ kind: "handled", ...event }).headers).toEqual({});
  });

  it.each(["CS_SIGNATURE_MISMATCH", "CS_BODY_CONSUMED", "constructor"])(
    "refuses %s, which proves nothing of the sender",
    (code) => {
      expect(() => abortDelivery({ codes: [code as "CS_EVENT_SCHEMA"] })).toThrow(TypeError);
    },
  );
});
