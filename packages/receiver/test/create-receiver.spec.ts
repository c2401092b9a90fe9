import { createReceiver, memoryInbox, type Outcome } from "@countersign/receiver";
import { describe, expect, it, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

const genuine = attemptOf(refundAuthorized());

/** Options as plain JavaScript may pass them. */
const create = (options: object): unknown =>
  createReceiver({ secrets: [secret], fallback: () => undefined, ...options });

describe("createReceiver", () => {
  const invalidLimits = [Number.NaN, -1, 0, 0.5, Number.POSITIVE_INFINITY, "1mb", "1024", null];

  it.each<[string, object, RegExp]>([
    ["no secret", { secrets: [] }, /at least one secret/],
    ["no secrets at all", { secrets: undefined }, /at least one secret/],
    ["an unset secret", { secrets: [secret, undefined] }, /secrets\[1\] is undefined/],
    ["no fallback", { fallback: undefined }, /"fallback" must be a function/],
    ["a mistyped option", { fallbak: 1 }, /unknown option "fallbak"; did you mean "fallback"/],
    ["an option to skip the verification", { skipVerification: true }, /unknown option/],
    ["a mistyped limit", { limits: { bodybytes: 1 } }, /"bodybytes"; did you mean "bodyBytes"/],
    ["a limit of 0", { limits: { answerMs: 0 } }, /"limits.answerMs" must be a positive integer/],
    ["the limit handlerMs", { limits: { handlerMs: 1 } }, /unknown limit "handlerMs"/],
    ["a lease no longer than answerMs", { lease: 14_000 }, /"lease" must be longer/],
    ["a catalogue without events", { catalogue: null }, /"catalogue" must be/],
    ["an unknown profile", { profile: "constructor" }, /unknown profile "constructor"/],
    [
      "after-store with a memory inbox",
      { acknowledge: "after-store", inbox: memoryInbox() },
      /needs sqliteInbox or postgresInbox/,
    ],
    ["an inbox without methods", { inbox: {} }, /"inbox" must be memoryInbox\(\)/],
    ["a log that cannot log", { log: true }, /"log" must be false/],
    ["an unknown acknowledge", { acknowledge: "before" }, /"acknowledge" must be/],
  ])("refuses %s with a TypeError", (_what, options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
  });

  it.each(["bodyBytes", "bodyMs"])("A20: refuses a limits.%s that switches a check off", (name) => {
    for (const value of invalidLimits)
      expect(() => create({ limits: { [name]: value } })).toThrow(/must be a positive integer/);
  });

  it("refuses a call without options", () => {
    const call = createReceiver as () => unknown;
    expect(() => call()).toThrow(/missing options; expected \{ secrets, fallback/);
  });
});

describe("on", () => {
  const { receiver } = recordingReceiver();

  it.each([
    ["a mistyped name", "refund.autorized", /did you mean "refund.authorized"/],
    ["a name from an object's prototype", "constructor", /unknown type or category/],
    ["the name *", "*", /"fallback" option/],
    ["a second handler of one name", "PAYMENT", /already exists/],
  ])("refuses %s with a TypeError", (_what, name, message) => {
    const register = (): unknown => receiver.on(name as "PAYMENT", () => undefined);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(message);
  });

  it("refuses a handler that is not a function", () => {
    expect(() => receiver.on("refund.failed", {} as () => void)).toThrow(/must be a function/);
  });

  it("refuses a handler after the first attempt", async () => {
    const late = recordingReceiver().receiver;
    await late.receive(genuine);
    expect(() => late.on("refund.failed", () => undefined)).toThrow(/before the first attempt/);
  });
});

describe("onOutcome", () => {
  it("gets every outcome, also rejections, with its duration", async () => {
    const seen: [string, number][] = [];
    const { receiver } = recordingReceiver({
      onOutcome: ({ kind }, { durationMs }) => void seen.push([kind, durationMs]),
    });
    await receiver.receive(genuine);
    await receiver.receive({ headers: {}, body: new Uint8Array() });
    expect(seen.map(([kind]) => kind)).toEqual(["handled", "rejected"]);
    expect(seen.every(([, durationMs]) => durationMs >= 0)).toBe(true);
  });

  it("changes no outcome by throwing, and its error is logged", async () => {
    const error = vi.fn<(text: string) => void>();
    const { receiver } = recordingReceiver({
      log: { warn: error, error },
      onOutcome: () => {
        throw new Error("metrics are away");
      },
    });
    expect((await receiver.receive(genuine)).kind).toBe("handled");
    expect(error.mock.calls).toEqual([
      [expect.stringContaining("onOutcome threw: Error: metrics are away")],
    ]);
  });
});

describe("respond", () => {
  it("replaces the default answers", async () => {
    const { receiver } = recordingReceiver({
      respond: ({ kind }) => ({ status: 200, headers: {}, body: kind }),
    });
    const { response } = await receiver.answer(genuine);
    expect(response).toEqual({ status: 200, headers: {}, body: "handled" });
  });

  it.each<[string, unknown]>([
    ["a status of 99", { status: 99 }],
    ["a status of 100", { status: 100 }],
    ["a status of 600", { status: 600 }],
    ["a status with a fraction", { status: 200.5 }],
    ["a status as text", { status: "200" }],
    ["a header value with a line break", { headers: { x: "a\r\nb: c" } }],
    ["a header value beyond Latin-1", { headers: { x: "\u0100" } }],
    ["a header value that is a number", { headers: { x: 1 } }],
    ["a header name with a space", { headers: { "a b": "c" } }],
    ["an empty header name", { headers: { "": "c" } }],
    ["an object as body", { body: {} }],
    ["nothing", undefined],
    ["an error that it throws", new Error("no such template")],
  ])("is replaced by 503 and reported if it returns %s", async (_what, given) => {
    const reported: Outcome[] = [];
    const { receiver } = recordingReceiver({
      onOutcome: (outcome) => void reported.push(outcome),
      // As plain JavaScript may return it.
      respond: (): never => {
        if (given instanceof Error) throw given;
        return (given && { status: 200, headers: {}, body: "", ...given }) as never;
      },
    });
    const { outcome, response } = await receiver.answer(genuine);
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_RECEIVER_FAILED" });
    expect(response).toMatchObject({
      status: 503,
      body: '{"code":"CS_RECEIVER_FAILED","id":"evt_refund1"}',
    });
    expect(reported).toEqual([outcome]);
  });
});
