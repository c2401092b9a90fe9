import { createReceiver, memoryInbox } from "@countersign/receiver";
import { describe, expect, it } from "vitest";
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
      /no option "fallbak"; did you mean "fallback"/,
    ],
    [
      "a mistyped limit",
      { limits: { bodybytes: 1 } },
      /no limit "bodybytes"; did you mean "bodyBytes"/,
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
    ["a limit of 0", { limits: { handlerMs: 0 } }, /"limits.handlerMs" must be a positive integer/],
    [
      "a lease that is no longer than a handler may run",
      { lease: 10_000 },
      /"lease" must be longer/,
    ],
    ["a profile that does not exist", { profile: "constructor" }, /no profile "constructor"/],
    [
      "after-store with a memory inbox",
      { acknowledge: "after-store", inbox: memoryInbox() },
      /durable inbox/,
    ],
    ["an unknown acknowledge", { acknowledge: "before" }, /"acknowledge" must be/],
  ])("refuses %s at start-up", (_what, options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
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
    ["a name from an object's prototype", "constructor", /no such type or category/],
    ["a second handler of one name", "PAYMENT", /registered already/],
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

  it("changes nothing by throwing", async () => {
    const { receiver } = recordingReceiver({
      onOutcome: () => {
        throw new Error("metrics are away");
      },
    });
    expect((await receiver.receive(attemptOf(refundAuthorized()))).kind).toBe("handled");
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

  it("that throws is answered 503, never acknowledged", async () => {
    const { receiver } = recordingReceiver({
      respond: () => {
        throw new Error("no such template");
      },
    });
    const { outcome, response } = await receiver.answer(attemptOf(refundAuthorized()));
    expect(outcome).toMatchObject({ kind: "failed", code: "CS_RECEIVER_FAILED" });
    expect(response.status).toBe(503);
  });
});
