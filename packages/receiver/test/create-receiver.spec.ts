import {
  createReceiver,
  exponentialBackoff,
  type Inbox,
  type InboxQueue,
  memoryInbox,
} from "@countersign/receiver";
import { github, paypal, square } from "@countersign/receiver/providers";
import { redisInbox } from "@countersign/receiver/redis";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { genuine, otherSecret, recordingReceiver, secret, silent } from "./fixtures.ts";

const HORIZON = 76 * 3_600_000;

/** Options as plain JavaScript may pass them. */
const create = (options: object): unknown =>
  createReceiver({ ...silent, inbox: memoryInbox(), ...options });
/** With an inbox that has a queue, as far as options are checked. */
const storing = (workers: object): object => ({
  acknowledge: "after-store",
  inbox: { ...memoryInbox(), queue: {} as InboxQueue } satisfies Inbox,
  workers,
});
const redis = redisInbox({ call: () => Promise.resolve(null) }, { prefix: "shop" });
const forgetful = memoryInbox({ retentionMs: HORIZON - 1 });
const unordered = { ...memoryInbox(), lastHandled: undefined };

describe("createReceiver", () => {
  it.each<[string, string, object, RegExp]>([
    ["no secrets", "CS_SECRET_INVALID", { secrets: undefined }, /at least one secret/],
    ["an empty list of secrets", "CS_SECRET_INVALID", { secrets: [] }, /at least one secret/],
    [
      "a text for secrets",
      "CS_SECRET_INVALID",
      { secrets: secret },
      /must have at least one secret, or be/,
    ],
    ["five secrets", "CS_SECRET_INVALID", { secrets: Array(5).fill(secret) }, /at most 4 secrets/],
    [
      "an unset secret",
      "CS_SECRET_INVALID",
      { secrets: [secret, undefined] },
      /secrets\[1\] is undefined/,
    ],
    ["no fallback", "CS_OPTION_INVALID", { fallback: undefined }, /"fallback" must be a function/],
    [
      "a mistyped option",
      "CS_OPTION_UNKNOWN",
      { fallbak: 1 },
      /unknown option "fallbak"; expected one of "provider", "secrets", /,
    ],
    [
      "a mistyped limit",
      "CS_OPTION_UNKNOWN",
      { limits: { bodybytes: 1 } },
      /"bodybytes"; expected one of "bodyBytes", /,
    ],
    [
      "a lease no longer than answerMs",
      "CS_OPTION_CONFLICT",
      { lease: 14_000 },
      /"lease" must be longer/,
    ],
    ["a catalogue without events", "CS_OPTION_INVALID", { catalogue: null }, /"catalogue" must be/],
    [
      "no provider",
      "CS_PROVIDER_INVALID",
      { provider: undefined },
      /"provider" must be a document/,
    ],
    [
      "a provider's name",
      "CS_PROVIDER_INVALID",
      { provider: "stripe" },
      /"provider" must be a document, such as stripe/,
    ],
    [
      "after-store with memory",
      "CS_OPTION_CONFLICT",
      { acknowledge: "after-store" },
      /needs sqliteInbox or postgres/,
    ],
    [
      "after-store with Redis",
      "CS_OPTION_CONFLICT",
      { acknowledge: "after-store", inbox: redis },
      /needs sqliteInbox/,
    ],
    [
      "an inbox without methods",
      "CS_OPTION_INVALID",
      { inbox: {} },
      /"inbox" must be memoryInbox\(\)/,
    ],
    ["a log that cannot log", "CS_OPTION_INVALID", { log: true }, /"log" must be false/],
    [
      "an unknown acknowledge",
      "CS_OPTION_INVALID",
      { acknowledge: "before" },
      /"acknowledge" must be/,
    ],
    [
      "a retention shorter than the retries last",
      "CS_OPTION_CONFLICT",
      { retention: HORIZON - 1 },
      /"retention"/,
    ],
    [
      "an inbox that forgets before the last retry",
      "CS_OPTION_CONFLICT",
      { inbox: forgetful },
      /"retention"/,
    ],
    ["a retention of NaN", "CS_OPTION_INVALID", { retention: Number.NaN }, /positive integer/],
    ["an unknown order", "CS_OPTION_INVALID", { order: "newest" }, /"none" or "per-resource"/],
    [
      "an inbox without an order",
      "CS_OPTION_CONFLICT",
      { order: "per-resource", inbox: unordered },
      /lastHandled/,
    ],
    [
      "an unknown onIdReuse",
      "CS_OPTION_INVALID",
      { onIdReuse: "ignore" },
      /"duplicate" or "conflict"/,
    ],
    ["workers without after-store", "CS_OPTION_CONFLICT", { workers: {} }, /after-store/],
    [
      "a mistyped member of workers",
      "CS_OPTION_UNKNOWN",
      storing({ concurency: 1 }),
      /"concurency"; expected one of "concurrency", /,
    ],
    ["a concurrency of 0", "CS_OPTION_INVALID", storing({ concurrency: 0 }), /workers.concurrency/],
    ["no attempts", "CS_OPTION_INVALID", storing({ maxAttempts: 0 }), /workers.maxAttempts/],
    [
      "a backoff that is not a function",
      "CS_OPTION_INVALID",
      storing({ backoff: 5000 }),
      /"workers.backoff" must be a function/,
    ],
    ["limits of null", "CS_OPTION_INVALID", { limits: null }, /"limits" must be an object/],
    [
      "a document that could be fooled",
      "CS_PROVIDER_INVALID",
      { provider: { ...github, signature: { ...github.signature, signed: ["header:x"] } } },
      /createReceiver: invalid provider "github": /,
    ],
    [
      "a provider that signs the URL without it",
      "CS_OPTION_INVALID",
      { provider: square },
      /set "url"/,
    ],
    [
      "a provider whose attempts name their keys without keyOf",
      "CS_OPTION_INVALID",
      { provider: paypal },
      /set "keyOf"/,
    ],
  ])("refuses %s with a TypeError of the code %s", (_what, code, options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
    expect(() => create(options)).toThrow(expect.objectContaining({ code }) as Error);
    expect(() => create(options)).toThrow(new RegExp(`^${code}: createReceiver: `));
  });

  it("[R-SECRET-FORM] A7: refuses bad secrets, also next to a good one, without printing them", () => {
    for (const value of [
      "",
      undefined,
      7,
      "whsec_!!!",
      `${secret} `,
      `"${secret}"`,
      { raw: new Uint8Array(23) },
      "hunter2hunter2",
      "$WEBHOOK_SECRET",
      // A6: a public key of small order.
      `whpk_${Buffer.from(`01${"00".repeat(31)}`, "hex").toString("base64")}`,
      `whsk_${Buffer.alloc(64, 7).toString("base64")}`,
    ])
      for (const secrets of [[value], [otherSecret, value]]) {
        expect(() => create({ secrets })).toThrow(TypeError);
        expect(() => create({ secrets })).not.toThrow(otherSecret.slice(6));
        if (typeof value === "string" && value.length > 12)
          expect(() => create({ secrets })).not.toThrow(value.trim().slice(4));
      }
  });

  it("A20: refuses a limit that switches a check off", () => {
    for (const name of ["bodyBytes", "bodyMs", "answerMs"])
      for (const value of [Number.NaN, -1, 0, 1.5, Infinity, "1mb", "1024", null])
        expect(() => create({ limits: { [name]: value } })).toThrow(
          `"limits.${name}" must be a positive integer`,
        );
  });

  it("refuses a call without options, and takes options at their bounds", () => {
    const call = createReceiver as () => unknown;
    expect(() => call()).toThrow(/missing options; expected \{ provider, secrets/);
    expect(() => create({ retention: HORIZON })).not.toThrow();
    expect(() => create(storing({ concurrency: 1, maxAttempts: 1, pollMs: 1 }))).not.toThrow();
  });
});

describe("on", () => {
  const { receiver } = recordingReceiver();

  it.each<[string, string, RegExp]>([
    ["a mistyped name", "refund.autorized", /the nearest of 17 names are "refund.authorized", /],
    ["a mistyped category", "PAYMNT", /unknown type or category; .* are "PAYMENT", /],
    ["a name from an object's prototype", "constructor", /unknown type or category/],
    ["the name *", "*", /"fallback" option/],
    ["an empty name", "", /"fallback" option/],
    ["a second handler of one name", "PAYMENT", /already exists/],
  ])("refuses %s with a TypeError", (_what, name, message) => {
    const register = (): unknown => receiver.on(name as "PAYMENT", () => undefined);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(expect.objectContaining({ code: "CS_HANDLER_INVALID" }) as Error);
    expect(register).toThrow(message);
  });

  it("refuses a handler that is not a function, and any after the first attempt", async () => {
    expect(() => receiver.on("refund.failed", {} as () => void)).toThrow(/must be a function/);
    await receiver.receive(genuine);
    expect(() => receiver.on("refund.failed", () => undefined)).toThrow(/before the first attempt/);
  });
});

it("onOutcome changes no outcome by throwing, and its error is logged", async () => {
  const error = vi.fn<(text: string) => void>();
  const { receiver } = recordingReceiver({
    log: { warn: error, error },
    onOutcome: () => {
      throw new Error("metrics are away");
    },
  });
  expect((await receiver.receive(genuine)).kind).toBe("handled");
  const line = expect.stringContaining("onOutcome threw: Error: metrics are away") as string;
  expect(error.mock.calls).toEqual([[line]]);
});

describe("respond", () => {
  it("replaces the default answers", async () => {
    const { receiver } = recordingReceiver({
      respond: ({ kind }) => ({ status: 599, headers: {}, body: kind }),
    });
    const { response } = await receiver.answer(genuine);
    expect(response).toEqual({ status: 599, headers: {}, body: "handled" });
  });

  it.each([204, 205, 304])("sends no body with the status %i, which has none", async (status) => {
    const { receiver } = recordingReceiver({
      respond: () => ({ status, headers: { a: "b" }, body: "text" }),
    });
    const { response } = await receiver.answer(genuine);
    expect(response).toEqual({ status, headers: { a: "b" }, body: "" });
  });

  it.each<readonly [given: object | undefined, message: RegExp]>([
    ...[99, 199, 600, 200.5, "200"].map(
      (status) => [{ status }, /status from 200 to 599$/] as const,
    ),
    // A line break, a text beyond Latin-1, a number.
    ...["a\r\nb: c", "\u0100", 1].map((x) => [{ headers: { x } }, /invalid header "x"$/] as const),
    ...["a b", ""].map((name) => [{ headers: { [name]: "c" } }, /invalid header "/] as const),
    [{ body: {} }, /must return a text as "body"$/],
    [undefined, /undefined/],
    [new Error("no such template"), /^no such template$/],
  ])("is replaced by 503 and reported if it returns or throws %o", async (given, message) => {
    const { receiver, outcomes } = recordingReceiver({
      // As plain JavaScript may return it.
      respond: (): never => {
        if (given instanceof Error) throw given;
        return (given && { status: 200, headers: {}, body: "", ...given }) as never;
      },
    });
    const { outcome, response } = await receiver.answer(genuine);
    const error = { message: expect.stringMatching(message) as string };
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_RECEIVER_FAILED", error });
    const body = '{"code":"CS_RECEIVER_FAILED","id":"evt_refund1"}';
    expect(response).toMatchObject({ status: 503, body });
    expect(outcomes).toEqual([outcome]);
  });
});

describe("exponentialBackoff", () => {
  it("waits between half of its longest and its longest, and the longest grow fourfold to six hours", () => {
    const longest = exponentialBackoff({ random: () => 1 });
    const shortest = exponentialBackoff({ random: () => 0 });
    const seconds = [5, 20, 80, 320, 1280, 5120, 20_480, 21_600, 21_600];
    for (const [index, wait] of seconds.entries()) {
      expect(longest(index + 1)).toBe(wait * 1000);
      expect(shortest(index + 1)).toBe(wait * 500);
    }
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

  it("accepts a base, a factor and a maximum of 1, and none below", () => {
    const least = { baseMs: 1, factor: 1, maxMs: 1 };
    expect(exponentialBackoff({ ...least, random: () => 1 })(9)).toBe(1);
    for (const wrong of [{ baseMs: 0 }, { factor: 0.5 }, { maxMs: Number.NaN }])
      expect(() => exponentialBackoff(wrong)).toThrow(TypeError);
  });
});
