import { createReceiver } from "@countersign/receiver";
import type { Secret } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import {
  attemptOf,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAuthorized,
  secret,
} from "../fixtures.ts";

// The signatures package tests each form of signature and secret; here they reach the receiver.

describe("[R-VERIFY-STALE] A11: a receiver", () => {
  it("handles an attempt up to 300 seconds from its clock and refuses one of 301", async () => {
    const { receiver, outcomes } = recordingReceiver();
    for (const seconds of [-301, -300, 300, 301]) {
      const event = refundAuthorized(`evt_${String(seconds)}`);
      await receiver.receive(attemptOf(event, { now: NOON + seconds * 1000 }));
    }
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      "rejected",
      "handled",
      "handled",
      "rejected",
    ]);
  });
});

describe("[R-SECRET-FORM] A7: createReceiver", () => {
  const create = (secrets: unknown) => (): unknown =>
    createReceiver({ secrets: secrets as readonly Secret[], fallback: () => undefined });

  it("refuses bad secrets, also next to a good one, without printing them", () => {
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
        expect(create(secrets)).toThrow(TypeError);
        if (typeof value === "string" && value.length > 12)
          expect(create(secrets)).not.toThrow(value.trim().slice(4));
      }
  });

  it("makes receivers that cannot be forged with an empty or undecoded key", async () => {
    const { receiver } = recordingReceiver();
    for (const text of [secret, secret.slice(6), "!".repeat(32), "\0".repeat(32)]) {
      const raw = Buffer.from(text).toString("base64");
      const attempt = attemptOf(refundAuthorized(), { secrets: [`whsec_${raw}`] });
      expect((await receiver.receive(attempt)).kind).toBe("rejected");
    }
  });
});
