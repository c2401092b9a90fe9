import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { signatureSteps } from "../src/inspector/signatures.ts";

const secret = "a-secret-of-your-own-choice";
const timestamp = Date.parse("2026-11-24T12:00:00Z") / 1000;
const body = '{"id":"evt_1","type":"refund.failed"}';
const message = { id: "evt_1", timestamp, body: Buffer.from(body) };
const headers = standardWebhooks().sign(message, [secret]).headers;
const steps = (received: { readonly body?: string; readonly signature?: string }) =>
  signatureSteps(profiles.standard, { ...message, secret, headers, body, received });

describe("the steps of a verification", () => {
  it("show the key's fingerprint, as a receiver logs it, and never the secret", () => {
    const genuine = steps({});
    const [checked] = standardWebhooks().check([secret], "verify");

    const key = { form: "text of secretKey", bytes: 27, fingerprint: checked?.fingerprint };
    expect(genuine).toMatchObject({ verdict: "genuine", explanations: [], key });
    expect(JSON.stringify(genuine)).not.toContain(secret);
  });

  it("explain why a receiver refuses the body that it says it got", () => {
    const pretty = JSON.stringify(JSON.parse(body), null, 2);

    expect(steps({ body: pretty })).toMatchObject({
      verdict: "CS_SIGNATURE_MISMATCH",
      explanations: [{ cause: "body-reserialized", certain: true }],
    });
  });
});
