import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { NOON, otherSecret, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

describe.each([
  ["standardwebhooks", StandardWebhook],
  ["svix", SvixWebhook],
])("an attempt signed by npm %s", (_name, Webhook) => {
  const body = JSON.stringify(refundAuthorized());
  const kindOf = async (key: string, at = NOON, sent = body): Promise<string> => {
    const headers = {
      "webhook-id": "evt_refund1",
      "webhook-timestamp": String(at / 1000),
      "webhook-signature": new Webhook(key).sign("evt_refund1", new Date(at), body),
    };
    const kinds = [headers, new Headers(headers)].map(async (given) => {
      const { receiver } = recordingReceiver();
      return (await receiver.receive({ headers: given, body: Buffer.from(sent) })).kind;
    });
    return [...new Set(await Promise.all(kinds))].join();
  };

  it("is accepted, with headers as an object or as Headers", async () => {
    expect(await kindOf(secret)).toBe("handled");
  });

  it("is refused with another secret, an old timestamp or a changed body", async () => {
    expect(await kindOf(otherSecret)).toBe("rejected");
    expect(await kindOf(secret, NOON - 301_000)).toBe("rejected");
    expect(await kindOf(secret, NOON, body.replace("ref_1", "ref_2"))).toBe("rejected");
  });
});
