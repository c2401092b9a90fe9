import { generateKeyPairSync } from "node:crypto";
import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks, xSignature } from "@countersign/signatures";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deliveryPolicyOf } from "../../src/delivery/policy.ts";
import { parseRetryAfter } from "../../src/delivery/schedule.ts";
import { waitAfter } from "../../src/delivery/schedule.ts";
import { signerOf } from "../../src/delivery/signer.ts";

const { schedule, ...standard } = deliveryPolicyOf(profiles.standard);
const HOUR = 3_600_000;

describe("the retry schedule (S 6.6)", () => {
  const attempts = fc.integer({ min: 1, max: 9 });
  const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const stepAfter = (attempt: number): number => schedule.steps[attempt] ?? Number.NaN;

  it("makes ten attempts within 75 h 35 min under the standard profile, with 15 s and a longer lease for each", () => {
    expect(schedule).toMatchObject({ jitter: 0.1, retryAfterFactor: 2 });
    expect(schedule.steps).toHaveLength(10);
    expect(schedule.steps.reduce((sum, step) => sum + step, 0)).toBe(272_105_000);
    expect(standard).toMatchObject({
      success: "2xx",
      gone: 410,
      pause: { failures: 400, afterMs: 24 * HOUR },
      deadlineMs: 15_000,
      leaseMs: 30_000,
      concurrencyPerHost: 64,
    });
    const { delivery } = profiles.standard;
    const other = { ...delivery, success: "200" as const, timeoutMs: 120_000 };
    const { success, deadlineMs, leaseMs } = deliveryPolicyOf({ delivery: other });
    expect(success).toEqual([200]);
    // A third of the lease, in which two beats are due.
    expect(leaseMs - deadlineMs - 1000).toBeGreaterThanOrEqual(leaseMs / 3);
  });

  it("waits for the next step, moved by at most the jitter, and never after the last attempt", () => {
    fc.assert(
      fc.property(attempts, randoms, (attempt, random) => {
        const wait = waitAfter({ attempt, random }, schedule);
        expect(wait).toSatisfy(Number.isInteger);
        expect(wait).toBeGreaterThanOrEqual(stepAfter(attempt) * 0.9);
        expect(wait).toBeLessThanOrEqual(stepAfter(attempt) * 1.1);
      }),
    );
    for (const [random, wait] of [
      [0, 4500],
      [0.5, 5000],
      [1 - 2 ** -53, 5500],
    ] as const)
      expect(waitAfter({ attempt: 1, random }, schedule)).toBe(wait);
    expect(waitAfter({ attempt: 10, random: 0.5, retryAfter: 1 }, schedule)).toBeUndefined();
  });

  it("B12 honors Retry-After between one and two steps, never earlier than it asks", () => {
    const asked = fc.oneof(fc.nat({ max: 48 * HOUR }), fc.nat({ max: Number.MAX_SAFE_INTEGER }));
    fc.assert(
      fc.property(attempts, randoms, asked, (attempt, random, retryAfter) => {
        const wait = waitAfter({ attempt, random, retryAfter }, schedule);
        const step = stepAfter(attempt);
        expect(wait).toSatisfy(Number.isInteger);
        expect(wait).toBeGreaterThanOrEqual(Math.max(step, Math.min(retryAfter, 2 * step)));
        expect(wait).toBeLessThanOrEqual(2 * step);
      }),
    );
  });

  it("B12 reads Retry-After as seconds or an HTTP date (RFC 9110 10.2.3) and ignores anything else", () => {
    const now = Date.parse("2026-11-02T12:00:00.000Z");
    for (const [header, wait] of [
      ["0", 0],
      ["120", 120_000],
      ["999999999999", 999_999_999_999_000],
      ["Mon, 02 Nov 2026 12:01:40 GMT", 100_000],
      ["Sun, 01 Nov 2026 12:00:00 GMT", 0],
    ] as const)
      expect([header, parseRetryAfter(header, now)]).toEqual([header, wait]);
    const garbled = ["", "-1", "1.5", "1e308", "inf", "NaN", "9999999999999", "x".repeat(4096)];
    const dates = ["2026-11-02T12:01:40Z", "Mon, 99 Nov 2026 12:01:40 GMT"];
    for (const header of [undefined, ...garbled, ...dates])
      expect([header, parseRetryAfter(header, now)]).toEqual([header, undefined]);
  });
});

describe("the signature of an attempt", () => {
  const message = { id: "evt_1", timestamp: 1_793_620_800, body: Buffer.from("{}") };
  const now = message.timestamp * 1000;
  const bytes = "0123456789abcdef0123456789abcdef";
  const prefixed = `whsec_${Buffer.from(bytes).toString("base64")}`;

  it("uses whsec_ secrets decoded and other text as it is under Standard Webhooks, and all text as it is under x-signature", () => {
    const { body } = message;
    const signed = (secret: string) => signerOf(profiles.standard)(message, secret) ?? {};
    for (const secret of [prefixed, bytes]) {
      const attempt = { headers: signed(secret), body };
      expect(standardWebhooks().verify(attempt, [{ raw: bytes }], { now }).ok).toBe(true);
    }
    // The signer remembers only some secrets; those that it has forgotten sign as before.
    const sign = signerOf(profiles.standard);
    const first = sign(message, bytes);
    for (let count = 0; count < 5000; count += 1) sign(message, `${bytes}${count}`);
    expect(sign(message, bytes)).toEqual(first);
    const headers = signerOf(profiles["x-signature"])(message, prefixed) ?? {};
    const verify = (raw: string) => xSignature().verify({ headers, body }, [{ raw }], { now }).ok;
    expect([verify(prefixed), verify(bytes)]).toEqual([true, false]);
  });

  it("is not made, and nothing is thrown, with a secret that is too short or not base64", () => {
    const sign = signerOf(profiles.standard);
    for (const secret of ["", "short", "whsec_", "whsec_!!!", "whsec_c2hvcnQ="])
      expect([secret, sign(message, secret)]).toEqual([secret, undefined]);
  });

  /** An Ed25519 pair as `whsk_…` and `whpk_…`. */
  function newPair(): { readonly secret: string; readonly open: string } {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const last32 = (der: Buffer): string => der.subarray(-32).toString("base64");
    return {
      secret: `whsk_${last32(privateKey.export({ format: "der", type: "pkcs8" }))}`,
      open: `whpk_${last32(publicKey.export({ format: "der", type: "spki" }))}`,
    };
  }

  it("verifies with each of the provider's keys, and with the subscription's secret, while keys overlap", () => {
    const [old, next, other] = [newPair(), newPair(), newPair()];
    const sign = signerOf(profiles.standard, { providerKeys: [old.secret, next.secret] });
    const attempt = { headers: sign(message, bytes) ?? {}, body: message.body };
    const verify = (secret: string | { raw: string }) =>
      standardWebhooks().verify(attempt, [secret], { now }).ok;
    const secrets = [old.open, next.open, { raw: bytes }, other.open];
    expect(secrets.map(verify)).toEqual([true, true, true, false]);
  });

  it("refuses provider keys at the start that are shared, public, garbled, too many or of no use to the scheme", () => {
    const four = [1, 2, 3, 4].map(() => newPair().secret);
    for (const [profile, providerKeys] of [
      [profiles.standard, [bytes]],
      [profiles.standard, [newPair().open]],
      [profiles.standard, ["whsk_abc"]],
      [profiles.standard, four],
      [profiles["x-signature"], [newPair().secret]],
    ] as const)
      expect(() => signerOf(profile, { providerKeys })).toThrow(TypeError);
  });
});
