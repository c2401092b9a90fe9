import { generateKeyPairSync, sign } from "node:crypto";
import { createReceiver } from "@countersign/receiver";
import { type Secret, xSignature } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { NOON, otherSecret, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";
import { attemptWith, keyOf, signatureBy } from "./forge.ts";

const event = refundAuthorized();
const body = Buffer.from(JSON.stringify(event));
const timestamp = String(NOON / 1000);
const v1 = (key: Uint8Array | string, algorithm: "sha256" | "sha1" = "sha256"): string =>
  `v1,${signatureBy(key, { id: event.id, timestamp, body, algorithm }).toString("base64")}`;

const create = (secrets: unknown): unknown =>
  createReceiver({ secrets: secrets as readonly Secret[], fallback: () => undefined });

describe("A5: a signature of another kind than the secret's", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const der = publicKey.export({ type: "spki", format: "der" });
  const raw = der.subarray(-32);
  const whpk = `whpk_${raw.toString("base64")}`;
  const genuine = `v1a,${sign(null, Buffer.concat([Buffer.from(`${event.id}.${timestamp}.`), body]), privateKey).toString("base64")}`;

  it("is refused: an HMAC by any form of the public key is no signature of its owner", async () => {
    const { receiver } = recordingReceiver({ secrets: [whpk] });
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const forms = [raw, der, pem, pem.toString().trim(), whpk, whpk.slice(5), raw.toString("hex")];
    for (const form of forms)
      for (const version of ["v1,", "v1a,"])
        for (const algorithm of ["sha256", "sha1"] as const) {
          const header = v1(form, algorithm).replace("v1,", version);
          expect((await receiver.receive(attemptWith(header, { body }))).kind).toBe("rejected");
        }
    expect((await receiver.receive(attemptWith(genuine, { body }))).kind).toBe("handled");
  });

  it("[R-VERIFY-VERSION] is refused: a receiver of v1a takes no v1, one of v1 no v1a, and nobody SHA-1", async () => {
    const asymmetric = recordingReceiver({ secrets: [whpk] }).receiver;
    const symmetric = recordingReceiver().receiver;
    const refused = [
      [asymmetric, v1(keyOf(secret))],
      [symmetric, genuine],
      [symmetric, v1(keyOf(secret), "sha1")],
    ] as const;
    for (const [receiver, header] of refused)
      expect((await receiver.receive(attemptWith(header, { body }))).kind).toBe("rejected");
    expect((await symmetric.receive(attemptWith(v1(keyOf(secret)), { body }))).kind).toBe(
      "handled",
    );
  });

  it("is refused at start-up where the secret is a private key", () => {
    const seed = privateKey.export({ type: "pkcs8", format: "der" }).subarray(-32);
    const whsk = `whsk_${Buffer.concat([seed, raw]).toString("base64")}`;
    expect(() => create([whsk])).toThrow(TypeError);
    expect(() => create([whpk])).not.toThrow();
  });
});

describe("A6: an ed25519 key of small order", () => {
  const [zero, one] = ["00".repeat(31), "ff".repeat(30)];
  const using = (hex: string) => (): unknown =>
    create([`whpk_${Buffer.from(hex, "hex").toString("base64")}`]);

  it.each([
    `01${zero}`,
    `ec${one}7f`,
    `00${zero}`,
    `${zero}80`,
    // The same points, not in the one encoding that RFC 8032 section 5.1.2 gives them.
    `01${"00".repeat(30)}80`,
    `ec${one}ff`,
    `ed${one}7f`,
    `ed${one}ff`,
    `ee${one}7f`,
    `ee${one}ff`,
  ])("%s is refused at start-up", (hex) => {
    expect(hex).toHaveLength(64);
    expect(using(hex)).toThrow(TypeError);
  });

  it.each([
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  ])("%s, of order 8, is refused at start-up", (hex) => {
    expect(using(hex)).toThrow(TypeError);
  });
});

describe("[R-SECRET-FORM] A7: an empty, short or garbled secret", () => {
  const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString("base64");
  const bad: readonly [string, unknown][] = [
    ["nothing", ""],
    ["undefined", undefined],
    ["null", null],
    ["a number", 7],
    ["an object", {}],
    ["true", true],
    ["a prefix alone", "whsec_"],
    ["raw: alone", "raw:"],
    ["text that is no base64", "whsec_!!!"],
    ["two line breaks at the end", `${secret}\n\n`],
    ["a carriage return at the end", `${secret}\r`],
    ["a space in front", ` ${secret}`],
    ["a space at the end", `${secret} `],
    ["a byte order mark", `\uFEFF${secret}`],
    ["a quoted text", `"${secret}"`],
    ["URL-safe base64", `whsec_${Buffer.alloc(24, 0xfb).toString("base64url")}`],
    ["base64 that is not canonical", `whsec_${base64(25).slice(0, -3)}x==`],
    ["base64 without its padding", `whsec_${base64(25).replaceAll("=", "")}`],
    ["base64 with more padding", `${secret}==`],
    ["a space inside", `whsec_${base64(12)} ${base64(12)}`],
    ["1 byte", `whsec_${base64(1)}`],
    ["23 bytes", `whsec_${base64(23)}`],
    ["65 bytes", `whsec_${base64(65)}`],
    ["raw text of 23 characters", `raw:${"x".repeat(23)}`],
    ["raw text of 1025 characters", `raw:${"x".repeat(1025)}`],
    ["raw text with a letter beyond ASCII", `raw:${"é".repeat(24)}`],
    ["empty raw bytes", { raw: new Uint8Array() }],
    ["empty raw text", { raw: "" }],
    ["few raw bytes", { raw: new Uint8Array(23) }],
    ["a raw number", { raw: 7 }],
    ["an environment variable that was not replaced", "$WEBHOOK_SECRET"],
    ["an empty public key", "whpk_"],
    ["a public key of 31 bytes", `whpk_${base64(31)}`],
    ["a public key of 33 bytes", `whpk_${base64(33)}`],
    ["a private key", `whsk_${base64(64)}`],
  ];

  it.each(bad)("is a TypeError at start-up: %s", (_what, value) => {
    expect(() => create([value])).toThrow(TypeError);
    // Also where a good one stands beside it, as while one is replaced.
    expect(() => create([otherSecret, value])).toThrow(TypeError);
  });

  it.each([
    ["no list", undefined],
    ["an empty list", []],
    ["a text instead of a list", secret],
  ])("is a TypeError at start-up: %s", (_what, value) => {
    expect(() => create(value)).toThrow(TypeError);
  });

  it("never prints what it refuses", () => {
    for (const [, value] of bad.filter(([, one]) => typeof one === "string" && one.length > 12))
      expect(() => create([value])).toThrow(
        expect.objectContaining({
          message: expect.not.stringContaining(String(value).trim().slice(4)) as string,
        }),
      );
  });

  it("cannot be forged with: the empty key and the key of a bad decoding are refused", async () => {
    const { receiver } = recordingReceiver();
    for (const key of ["", Buffer.from("!!!", "base64"), secret, secret.slice(6), Buffer.alloc(32)])
      expect((await receiver.receive(attemptWith(v1(key), { body }))).kind).toBe("rejected");
  });

  it("has no option that skips the verification", () => {
    for (const option of ["verify", "skipVerification", "insecure"])
      expect(() =>
        createReceiver({ secrets: [secret], fallback: () => undefined, [option]: false }),
      ).toThrow(TypeError);
  });
});

describe("A8: one secret text under two schemes", () => {
  const other = {
    id: event.id,
    eventType: "customer.activated",
    creationTime: "2026-11-24T05:00:00.000Z",
    metadata: { resourceId: "cus_1" },
  };
  const otherBody = Buffer.from(JSON.stringify(other));
  const untyped = () =>
    createReceiver({
      profile: "x-signature",
      secrets: [secret],
      fallback: () => undefined,
      now: () => NOON,
    });

  it("is two keys: decoded for Standard Webhooks, as it stands for the other", async () => {
    const standard = recordingReceiver().receiver;
    const decoded = attemptWith(v1(keyOf(secret)), { body });
    const asText = attemptWith(v1(secret), { body });
    expect((await standard.receive(asText)).kind).toBe("rejected");
    expect((await standard.receive(decoded)).kind).toBe("handled");

    const message = { id: event.id, timestamp: NOON / 1000, body: otherBody };
    const genuine = xSignature().sign(message, [secret]);
    const byDecoded = xSignature().sign(message, [{ raw: keyOf(secret) }]);
    const headers = { "content-type": "application/json" };
    const receiver = untyped();
    expect(
      (await receiver.receive({ headers: { ...headers, ...byDecoded }, body: otherBody })).kind,
    ).toBe("rejected");
    expect(
      (await receiver.receive({ headers: { ...headers, ...genuine }, body: otherBody })).kind,
    ).toBe("unrouted");
  });

  it("is never tried as both: a receiver takes the headers of its own scheme alone", async () => {
    const receiver = untyped();
    expect((await receiver.receive(attemptWith(v1(keyOf(secret)), { body }))).kind).toBe(
      "rejected",
    );
  });
});
