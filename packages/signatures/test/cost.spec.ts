import { createHmac, randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Secret, standardWebhooks } from "../src/index.ts";
import { now, NOW_SECONDS, PRIVATE_KEY, PUBLIC_KEY, SECRET } from "./attempts.ts";

const scheme = standardWebhooks();
const body = Buffer.from("{}");
const v1a = (): string => `v1a,${randomBytes(64).toString("base64")}`;
const forged = (signature: string) => ({
  body,
  headers: {
    "webhook-id": "a",
    "webhook-timestamp": String(NOW_SECONDS),
    "webhook-signature": signature,
  },
});

// The work that is done: an HMAC ends with a digest, and a public key's text is joined.
const hmac = Object.getPrototypeOf(createHmac("sha256", "key")) as ReturnType<typeof createHmac>;
const work = { digests: vi.spyOn(hmac, "digest"), joins: vi.spyOn(Buffer, "concat") };
beforeEach(() => void vi.clearAllMocks());
afterEach(() => void vi.clearAllMocks());

it("an attempt with more than two ed25519 signatures is refused without verifying one", () => {
  const signature = Array.from({ length: 3 }, v1a).join(" ");
  expect(scheme.verify(forged(signature), [PUBLIC_KEY], { now })).toMatchObject({
    code: "CS_SIGNATURE_TOO_MANY",
  });
});

it("a body is copied once for all public keys and signatures", () => {
  const keys = Array.from({ length: 4 }, () => PUBLIC_KEY);
  scheme.check(keys, "verify");
  work.joins.mockClear();
  const signature = `${v1a()} ${v1a()}`;
  expect(scheme.verify(forged(signature), keys, { now }).ok).toBe(false);
  expect(work.joins).toHaveBeenCalledTimes(1);
});

it("decoys do the work of the kinds of keys that a tenant lacks, so that nothing tells it from none", () => {
  const signed = scheme.sign({ id: "a", timestamp: NOW_SECONDS, body }, [PRIVATE_KEY]);
  const [hmacs, publics] = [
    `v1,${randomBytes(32).toString("base64")}`,
    signed.headers["webhook-signature"] ?? "",
  ];
  const workOf = (signature: string, secrets: readonly Secret[]) => {
    // The decoys are made, and the keys imported, at the first attempt.
    scheme.verify(forged(signature), secrets, { now, decoys: true });
    vi.clearAllMocks();
    const { ok } = scheme.verify(forged(signature), secrets, { now, decoys: true });
    return { ok, digests: work.digests.mock.calls.length, joins: work.joins.mock.calls.length };
  };

  for (const secrets of [[], [SECRET], [PUBLIC_KEY]])
    expect(workOf(hmacs, secrets)).toEqual({ ok: false, digests: 1, joins: 0 });
  for (const secrets of [[], [SECRET]])
    expect(workOf(publics, secrets)).toEqual({ ok: false, digests: 0, joins: 1 });
  expect(workOf(publics, [PUBLIC_KEY])).toEqual({ ok: true, digests: 0, joins: 1 });
});
