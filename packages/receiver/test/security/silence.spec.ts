import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { inspect } from "node:util";
import {
  createReceiver,
  memoryInbox,
  OUTCOME_CHANNEL,
  type ReceiverResponse,
} from "@countersign/receiver";
import { afterEach, describe, expect, it, vi } from "vitest";
import { attemptOf, NOON, otherSecret, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { secret } from "../fixtures.ts";
import { keyOf } from "./forge.ts";

afterEach(() => vi.restoreAllMocks());

/** Everything that this process writes or publishes from now on. */
function overhear(): { heard: () => string; stop: () => void } {
  const heard: string[] = [];
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((text) => {
      heard.push(typeof text === "string" ? text : Buffer.from(text).toString());
      return true;
    }),
  );
  const methods = (["log", "info", "warn", "error", "debug", "trace"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...words) => void heard.push(inspect(words))),
  );
  const warn = vi
    .spyOn(process, "emitWarning")
    .mockImplementation((...words) => void heard.push(inspect(words)));
  const publish = (report: unknown): void => void heard.push(inspect(report, { depth: 10 }));
  subscribe(OUTCOME_CHANNEL, publish);
  return {
    heard: () => heard.join("\n"),
    stop() {
      unsubscribe(OUTCOME_CHANNEL, publish);
      for (const spy of [...streams, ...methods, warn]) spy.mockRestore();
    },
  };
}

describe("A25: a secret or a payload in a log", () => {
  const canary = "canary-3e7ad1";
  const event = {
    ...refundAuthorized(),
    data: { ...refundAuthorized().data, clientReferenceId: canary },
  };

  /** Attempts of every kind, whose bodies, headers and errors all hold the canary. */
  const attempts = () => [
    attemptOf(event),
    attemptOf(event),
    attemptOf({ ...event, note: canary }),
    attemptOf({ ...event, id: "evt_2", data: { paymentId: 7, canary } }),
    attemptOf({ ...event, id: "evt_3", type: canary.replace("-", ".") }),
    attemptOf(`{"${canary}":`, { id: "evt_4" }),
    attemptOf({ ...event, id: "evt_5" }, { secrets: [otherSecret] }),
    attemptOf({ ...event, id: "evt_throws" }),
    { ...attemptOf(event), headers: { "webhook-signature": canary } },
    {
      ...attemptOf(event),
      headers: { authorization: `Bearer ${canary}`, "content-encoding": "gzip" },
    },
  ];

  it("[R-LOG-NOTHING] is never written: not to a stream, a warning, an answer or the channel", async () => {
    const { heard, stop } = overhear();
    const answers: ReceiverResponse[] = [];
    const receiver = createReceiver({
      secrets: [secret],
      fallback: () => undefined,
      inbox: memoryInbox(),
      now: () => NOON,
    }).on("PAYMENT", ({ id }) => {
      if (id === "evt_throws") throw new Error(`${secret} ${secret.slice(6)} is wrong`);
    });
    try {
      for (const attempt of attempts()) answers.push((await receiver.answer(attempt)).response);
    } finally {
      stop();
    }

    const written = `${heard()}\n${JSON.stringify(answers)}`;
    const key = keyOf(secret);
    const signature = attemptOf(event).headers["webhook-signature"] ?? "";
    for (const word of [
      canary,
      Buffer.from(canary).toString("base64").slice(0, -4),
      Buffer.from(canary).toString("hex"),
      secret,
      secret.slice(6),
      key.toString("hex"),
      key.toString("base64url"),
      signature.slice(3),
      refundAuthorized().data.paymentId,
    ])
      expect(written).not.toContain(word);
    // What it did hear: each outcome with its code.
    expect(written).toContain("[secret] [secret] is wrong");
    expect(written).toContain("CS_HANDLER_FAILED");
    expect(written).toContain("CS_EVENT_SCHEMA");
  });

  it("is not in the receiver, however deep somebody looks into it", () => {
    const { receiver } = recordingReceiver();
    const shown = `${inspect(receiver, { depth: 20, showHidden: true })}${JSON.stringify(receiver)}`;
    expect(shown).not.toContain(secret.slice(6));
    expect(shown).not.toContain(keyOf(secret).toString("hex"));
  });
});

describe("A26: an answer that tells why a signature is refused", () => {
  const event = refundAuthorized();
  const genuine = attemptOf(event);
  const { "webhook-signature": signature = "" } = genuine.headers;
  const header = (name: string, value: string | string[]) => ({
    ...genuine,
    headers: { ...genuine.headers, [name]: value },
  });
  const without = (name: string) => ({
    ...genuine,
    headers: Object.fromEntries(Object.entries(genuine.headers).filter(([key]) => key !== name)),
  });
  const now = String(NOON / 1000);
  const causes = [
    without("webhook-id"),
    without("webhook-timestamp"),
    without("webhook-signature"),
    header("webhook-id", ""),
    header("webhook-id", "evt.1"),
    header("webhook-id", "evt_other"),
    header("webhook-id", "x".repeat(257)),
    header("webhook-id", "x".repeat(5000)),
    header("webhook-id", ["evt_refund1", "evt_refund1"]),
    header("webhook-timestamp", ""),
    header("webhook-timestamp", "0"),
    header("webhook-timestamp", "-1"),
    header("webhook-timestamp", `${now}junk`),
    header("webhook-timestamp", String(NOON)),
    header("webhook-timestamp", String(NOON / 1000 + 1)),
    header("webhook-timestamp", `${now}, ${now}`),
    header("webhook-signature", ""),
    header("webhook-signature", "v1"),
    header("webhook-signature", "v1,"),
    header("webhook-signature", "v1,!!!"),
    header("webhook-signature", "v2,AAAA"),
    header("webhook-signature", signature.slice(0, -4)),
    header("webhook-signature", signature.replace("v1,", "v1a,")),
    header("webhook-signature", `v1,${Buffer.alloc(32).toString("base64")}`),
    header("webhook-signature", Array(9).fill(signature).join(" ")),
    header("webhook-signature", `${signature}\u00e9`),
    header("webhook-signature", [signature, signature]),
    { ...genuine, body: Buffer.concat([genuine.body, Buffer.from(" ")]) },
    attemptOf(event, { secrets: [otherSecret] }),
    attemptOf(event, { now: NOON - 301_000 }),
    attemptOf(event, { now: NOON + 301_000 }),
  ];

  it("does not exist: thirty causes are answered byte for byte alike", async () => {
    const { receiver, outcomes } = recordingReceiver();
    const answers: string[] = [];
    for (const attempt of causes)
      answers.push(JSON.stringify((await receiver.answer(attempt)).response));
    const unknownTenant = recordingReceiver({
      secrets: () => ({ tenant: "", secrets: [] }),
    }).receiver;
    answers.push(JSON.stringify((await unknownTenant.answer(genuine)).response));

    expect(answers.length).toBeGreaterThan(30);
    expect([...new Set(answers)]).toEqual([
      '{"status":401,"headers":{"content-type":"application/json"},"body":"{\\"code\\":\\"CS_SIGNATURE_REFUSED\\"}"}',
    ]);
    // The merchant is told each reason.
    const codes = new Set(outcomes.map((outcome) => ("code" in outcome ? outcome.code : "")));
    expect(codes.size).toBeGreaterThan(9);
  });
});
