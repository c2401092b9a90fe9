import { createReceiver, memoryInbox, type Outcome } from "@countersign/receiver";
import { describe, expect, it, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

/** Options as plain JavaScript may pass them. */
const create = (options: object): unknown =>
  createReceiver({
    secrets: [secret],
    fallback: () => undefined,
    ...options,
  });

describe("createReceiver", () => {
  it.each([
    ["no secret", { secrets: [] }, /at least one secret/],
    ["no secrets at all", { secrets: undefined }, /at least one secret/],
    [
      "a secret whose environment variable is not set",
      { secrets: [secret, undefined] },
      /secrets\[1\] is undefined/,
    ],
    ["an empty secret", { secrets: [""] }, /secret/],
    ["a short text as secret", { secrets: ["hunter2hunter2"] }, /too short/],
    ["a private key", { secrets: [`whsk_${"A".repeat(43)}=`] }, /whsk_/],
    ["five secrets", { secrets: Array(5).fill(secret) }, /4/],
    ["no fallback", { fallback: undefined }, /"fallback" must be a function/],
    [
      "a mistyped option",
      { fallbak: () => undefined },
      /unknown option "fallbak"; did you mean "fallback"/,
    ],
    [
      "a mistyped limit",
      { limits: { bodybytes: 1 } },
      /unknown limit "bodybytes"; did you mean "bodyBytes"/,
    ],
    [
      "a limit of NaN",
      { limits: { bodyBytes: Number.NaN } },
      /"limits.bodyBytes" must be a positive integer/,
    ],
    [
      "a limit of Infinity",
      { limits: { bodyBytes: Number.POSITIVE_INFINITY } },
      /positive integer/,
    ],
    ["a limit that is text", { limits: { bodyBytes: "1mb" } }, /positive integer/],
    ["a limit of 0", { limits: { answerMs: 0 } }, /"limits.answerMs" must be a positive integer/],
    ["the limit handlerMs", { limits: { handlerMs: 1 } }, /unknown limit "handlerMs"/],
    [
      "a lease that is not longer than limits.answerMs",
      { lease: 14_000 },
      /"lease" must be longer/,
    ],
    ["a catalogue without events", { catalogue: null }, /"catalogue" must be/],
    ["a profile that does not exist", { profile: "constructor" }, /unknown profile "constructor"/],
    [
      "after-store with a memory inbox",
      { acknowledge: "after-store", inbox: memoryInbox() },
      /needs sqliteInbox or postgresInbox/,
    ],
    ["an inbox without methods", { inbox: {} }, /"inbox" must be memoryInbox\(\)/],
    ["a log that cannot log", { log: true }, /"log" must be false/],
    ["an unknown acknowledge", { acknowledge: "before" }, /"acknowledge" must be/],
  ])("refuses %s at start-up", (_what, options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
  });

  it("refuses a call without options", () => {
    const call = createReceiver as () => unknown;
    expect(() => call()).toThrow(/missing options; expected \{ secrets, fallback/);
  });

  it("never prints a secret that it refuses", () => {
    expect(() => create({ secrets: ["whsec_hunter2!"] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter2") as string }),
    );
  });
});

describe("on", () => {
  const { receiver } = recordingReceiver();

  it.each([
    [
      "a name that the catalogue does not have",
      "refund.autorized",
      /did you mean "refund.authorized"/,
    ],
    ["a name from an object's prototype", "constructor", /unknown type or category/],
    ["the name *", "*", /"fallback" option/],
    ["a second handler of one name", "PAYMENT", /already exists/],
  ])("refuses %s", (_what, name, message) => {
    const register = (): unknown => receiver.on(name as "PAYMENT", () => undefined);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(message);
  });

  it("refuses a handler that is no function", () => {
    expect(() => receiver.on("refund.failed", {} as () => void)).toThrow(/must be a function/);
  });

  it("refuses a handler that comes after the first attempt", async () => {
    const late = recordingReceiver().receiver;
    await late.receive(attemptOf(refundAuthorized()));
    expect(() => late.on("refund.failed", () => undefined)).toThrow(/before the first attempt/);
  });
});

describe("onOutcome", () => {
  it("sees every outcome, also rejections, with its duration", async () => {
    const seen: [string, number][] = [];
    const { receiver } = recordingReceiver({
      onOutcome: ({ kind }, { durationMs }) => void seen.push([kind, durationMs]),
    });
    await receiver.receive(attemptOf(refundAuthorized()));
    await receiver.receive({ headers: {}, body: new Uint8Array() });

    expect(seen.map(([kind]) => kind)).toEqual(["handled", "rejected"]);
    expect(seen.every(([, durationMs]) => durationMs >= 0)).toBe(true);
  });

  it("changes nothing by throwing, and its error is logged", async () => {
    const error = vi.fn<(text: string) => void>();
    const { receiver } = recordingReceiver({
      log: { warn: error, error },
      onOutcome: () => {
        throw new Error("metrics are away");
      },
    });
    expect((await receiver.receive(attemptOf(refundAuthorized()))).kind).toBe("handled");
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
    const { response } = await receiver.answer(attemptOf(refundAuthorized()));
    expect(response).toEqual({ status: 200, headers: {}, body: "handled" });
  });

  const wrong: Record<string, unknown> = {
    "a status of 99": { status: 99 },
    "a status of 100": { status: 100 },
    "a status of 600": { status: 600 },
    "a status with a fraction": { status: 200.5 },
    "a status as text": { status: "200" },
    "a header value with a line break": { headers: { x: "a\r\nb: c" } },
    "a header value beyond Latin-1": { headers: { x: "\u0100" } },
    "a header value that is a number": { headers: { x: 1 } },
    "a header name with a space": { headers: { "a b": "c" } },
    "an empty header name": { headers: { "": "c" } },
    "an object as body": { body: {} },
    nothing: undefined,
    "an error that it throws": new Error("no such template"),
  };

  it.each(Object.keys(wrong))(
    "is answered 503 and reported so when it returns %s",
    async (what) => {
      const reported: Outcome[] = [];
      const { receiver } = recordingReceiver({
        onOutcome: (outcome) => void reported.push(outcome),
        // As plain JavaScript may return it.
        respond: (): never => {
          const given = wrong[what];
          if (given instanceof Error) throw given;
          const response = given && { status: 200, headers: {}, body: "", ...given };
          return response as never;
        },
      });
      const { outcome, response } = await receiver.answer(attemptOf(refundAuthorized()));
      expect(outcome).toMatchObject({ kind: "failed", code: "CS_RECEIVER_FAILED" });
      expect(response).toMatchObject({
        status: 503,
        body: '{"code":"CS_RECEIVER_FAILED","id":"evt_refund1"}',
      });
      expect(reported).toEqual([outcome]);
    },
  );
});
