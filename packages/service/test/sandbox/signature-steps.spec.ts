import { attemptMaker } from "../../../contract-kit/src/attempts.ts";
import { providersByName } from "@countersign/schemas/providers-by-name";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { describe, expect, it } from "vitest";
import { Signing } from "../../../contract-kit/src/harness/signing.ts";
import { signatureSteps } from "../../src/sandbox/inspector/signature-steps.ts";

const claims = { apiKey: "key" };
const url = new URL("https://shop.example/webhooks");
const now = Date.parse("2026-11-24T12:00:00Z");
const secretName = "secretKey";

/** A genuine attempt of a provider, with the secret that verifies it. */
function attemptOf(provider: ProviderDocument) {
  const signing = new Signing(provider, claims);
  const secret = signing.stranger("own");
  const rows = provider.catalogue ?? [{ type: "order.paid" }];
  const options = { provider, url, secrets: [secret], prefix: "evt_1", rows, claims };
  const { headers, body, path = "" } = attemptMaker({ ...options, now: () => now }).attempt();
  const verifying = signing.verifyingSecret(secret);
  const sent = {
    method: "POST",
    headers: Object.fromEntries(headers),
    body,
    url: url.origin + path,
  };
  return { sent, secret: typeof verifying === "string" ? verifying : secret, signing };
}

const signable = [...providersByName.values()].filter(
  ({ signature }) => signature.keyFrom === undefined,
);

describe("the steps of a verification", () => {
  it.each(signable)(
    "show the parts that $name signs, and the signature that they make",
    (provider) => {
      const { sent, secret, signing } = attemptOf(provider);
      const steps = signatureSteps(provider, sent, { secret, claims, now, secretName });
      expect(steps).toMatchObject({ verdict: "genuine", explanations: [] });
      expect(JSON.stringify(steps)).not.toContain(secret);
      const { algorithm, digests = [] } = provider.signature;
      const isInQuery = digests.some((digest) => digest.at.startsWith("query:"));
      const isDigest = /^(?:hmac-|sha)/.test(algorithm) && !isInQuery;
      if (isDigest) expect(steps.expected).toBe(steps.received);
      // A text with the secret in it, and a list of items, are not the parts one after the other.
      const { signed = [], per } = provider.signature;
      if (!isDigest || signed.includes("secret") || per === "item") return;
      const text = steps.parts.map((part) => part.text).join("");
      const key = signing.keyOf(secret) ?? "";
      expect(steps.received).toContain(
        signing.mac(Buffer.from(text), key).toString(signing.encoding),
      );
    },
  );

  it("explain why a body that was written again is refused", () => {
    const provider = providersByName.get("stripe") as ProviderDocument; // it is in the book
    const { sent, secret } = attemptOf(provider);
    const body = JSON.stringify(JSON.parse(Buffer.from(sent.body).toString()), null, 2);
    expect(
      signatureSteps(provider, { ...sent, body: Buffer.from(body) }, { secret, now, secretName }),
    ).toMatchObject({
      verdict: "CS_SIGNATURE_MISMATCH",
      explanations: [{ cause: "body-reserialized", certain: true }],
    });
  });

  it("verify nothing without a secret, and still show the signed text", () => {
    const provider = providersByName.get("stripe") as ProviderDocument; // it is in the book
    const { sent } = attemptOf(provider);
    const steps = signatureSteps(provider, sent, { secret: undefined, now, secretName });
    expect(steps).toMatchObject({ verdict: "unknown", fingerprint: null, expected: null });
    expect(steps.parts.map(({ name }) => name)).toEqual(["timestamp", "text", "body"]);
  });
});
