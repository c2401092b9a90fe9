import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { NOON, otherSecret, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

const signers = { standardwebhooks: StandardWebhook, svix: SvixWebhook };

/** An attempt that an independent library signed. */
function signedBy(
  name: keyof typeof signers,
  { key = secret, at = NOON }: { readonly key?: string; readonly at?: number } = {},
): { headers: Record<string, string>; body: Uint8Array } {
  const body = JSON.stringify(refundAuthorized());
  const signature = new signers[name](key).sign("evt_refund1", new Date(at), body);
  return {
    headers: {
      "webhook-id": "evt_refund1",
      "webhook-timestamp": String(at / 1000),
      "webhook-signature": signature,
    },
    body: Buffer.from(body),
  };
}

describe.each(["standardwebhooks", "svix"] as const)("an attempt that npm %s signed", (name) => {
  it("is accepted", async () => {
    const { receiver } = recordingReceiver();
    expect((await receiver.receive(signedBy(name))).kind).toBe("handled");
  });

  it("is accepted with a Headers object", async () => {
    const { receiver } = recordingReceiver();
    const { headers, body } = signedBy(name);
    expect((await receiver.receive({ headers: new Headers(headers), body })).kind).toBe("handled");
  });

  it.each([
    ["another secret", { key: otherSecret }],
    ["a timestamp that has expired", { at: NOON - 301_000 }],
    ["a timestamp of the future", { at: NOON + 301_000 }],
  ])("is refused with %s", async (_what, options) => {
    const { receiver } = recordingReceiver();
    expect((await receiver.receive(signedBy(name, options))).kind).toBe("rejected");
  });

  it("is refused with a changed body, and without its signature", async () => {
    const { receiver } = recordingReceiver();
    const { headers, body } = signedBy(name);
    const changed = Buffer.from(Buffer.from(body).toString().replace("ref_1", "ref_2"));
    expect((await receiver.receive({ headers, body: changed })).kind).toBe("rejected");
    expect((await receiver.receive({ headers: {}, body })).kind).toBe("rejected");
  });
});
