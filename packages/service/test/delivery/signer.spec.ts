import { standardWebhooks, xSignature } from "@countersign/signatures";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { signerOf } from "../../src/delivery/signer.ts";

const message = { id: "evt_1", timestamp: 1_793_620_800, body: Buffer.from("{}") };
const now = message.timestamp * 1000;
const bytes = "0123456789abcdef0123456789abcdef";
const prefixed = `whsec_${Buffer.from(bytes).toString("base64")}`;

describe("the signature of an attempt", () => {
  it("decodes whsec_… under Standard Webhooks, and takes other text as it stands", () => {
    const sign = signerOf(profiles.standard);
    for (const secretKey of [prefixed, bytes]) {
      const headers = sign(message, secretKey) ?? {};
      const arrived = { headers, body: message.body };
      const verification = standardWebhooks().verify(arrived, [{ raw: bytes }], { now });
      expect(verification).toMatchObject({ ok: true, id: "evt_1" });
    }
  });

  it("takes every text as it stands under x-signature", () => {
    const sign = signerOf(profiles["x-signature"]);
    const arrived = { headers: sign(message, prefixed) ?? {}, body: message.body };
    expect(xSignature().verify(arrived, [{ raw: prefixed }], { now })).toMatchObject({ ok: true });
    expect(xSignature().verify(arrived, [{ raw: bytes }], { now })).toMatchObject({ ok: false });
  });

  it.each(["", "short", "whsec_", "whsec_!!!", "whsec_c2hvcnQ="])(
    "cannot be made with %j, and nothing is thrown",
    (secretKey) => {
      expect(signerOf(profiles.standard)(message, secretKey)).toBeUndefined();
    },
  );
});
