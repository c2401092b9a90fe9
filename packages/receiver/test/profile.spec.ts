import { createReceiver, memoryInbox } from "@countersign/receiver";
import { signedAttempt } from "@countersign/receiver/testing";
import { profiles } from "@countersign/schemas/profiles";
import { xSignature } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { NOON, refundAttempt, silent } from "./fixtures.ts";

const secret = "a-secret-of-the-merchant-0001";
const event = {
  id: "evt_1",
  eventType: "payment.authorized",
  creationTime: "2026-11-24T05:00:00.000Z",
  metadata: { resourceId: "pay_1", paymentType: "CREDIT" },
};

describe("a receiver with the profile x-signature", () => {
  const receive = (profile: "x-signature" | (typeof profiles)["x-signature"]) => {
    const seen: unknown[] = [];
    const receiver = createReceiver({
      ...silent,
      secrets: [secret],
      profile,
      inbox: memoryInbox(),
      fallback: (incoming) => void seen.push(incoming),
    }).on("PAYMENT", (body) => void seen.push(body["metadata"]));
    return { receiver, seen };
  };

  it.each([
    ["by its name", "x-signature" as const],
    ["as a document", profiles["x-signature"]],
  ])("uses only the scheme and the envelope of its profile, given %s", async (_what, profile) => {
    const { receiver, seen } = receive(profile);
    const attempt = signedAttempt({ secrets: [secret], event, now: NOON, scheme: xSignature() });

    expect((await receiver.receive(attempt)).kind).toBe("handled");
    const unknown = { ...event, id: "evt_2", eventType: "report.ready" };
    await receiver.receive(
      signedAttempt({ secrets: [secret], event: unknown, now: NOON, scheme: xSignature() }),
    );

    expect((await receiver.receive(refundAttempt())).kind).toBe("rejected");
    expect(Object.keys(attempt.headers)).toContain("X-Signature-UniqueId");
    const { creationTime: timestamp, metadata: data } = event;
    expect(seen).toEqual([data, { id: "evt_2", type: "report.ready", timestamp, data }]);
  });
});
