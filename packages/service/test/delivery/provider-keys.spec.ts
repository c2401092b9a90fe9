import { generateKeyPairSync } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { signerOf } from "../../src/delivery/signer.ts";

const message = { id: "evt_1", timestamp: 1_793_620_800, body: Buffer.from("{}") };
const now = message.timestamp * 1000;
const secretKey = "a-secret-of-24-characters-or-more";

/** A pair as `whsk_…` and `whpk_…`. */
function pair(): { readonly secret: string; readonly open: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const last32 = (der: Buffer): string => der.subarray(-32).toString("base64");
  return {
    secret: `whsk_${last32(privateKey.export({ format: "der", type: "pkcs8" }))}`,
    open: `whpk_${last32(publicKey.export({ format: "der", type: "spki" }))}`,
  };
}

describe("the provider's keys", () => {
  it("both sign during an overlap, beside the subscription's secret", () => {
    const [old, next, other] = [pair(), pair(), pair()];
    const sign = signerOf(profiles.standard, { providerKeys: [old.secret, next.secret] });
    const attempt = { headers: sign(message, secretKey) ?? {}, body: message.body };
    const verified = (
      secret: Parameters<ReturnType<typeof standardWebhooks>["verify"]>[1][number],
    ) => standardWebhooks().verify(attempt, [secret], { now }).ok;
    expect([old.open, next.open, { raw: secretKey }].map(verified)).toEqual([true, true, true]);
    expect(verified(other.open)).toBe(false);
  });

  it.each([
    ["a shared secret", profiles.standard, [secretKey]],
    ["a public key", profiles.standard, [pair().open]],
    ["a garbled key", profiles.standard, ["whsk_abc"]],
    ["four keys", profiles.standard, [1, 2, 3, 4].map(() => pair().secret)],
    ["a key under another scheme", profiles["x-signature"], [pair().secret]],
  ])("are refused at once with %s", (_, profile, providerKeys) => {
    expect(() => signerOf(profile, { providerKeys })).toThrow(TypeError);
  });
});
