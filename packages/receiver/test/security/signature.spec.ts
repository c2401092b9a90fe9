import * as crypto from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createReceiver, type Receiver } from "@countersign/receiver";
import { type Secret, xSignature } from "@countersign/signatures";
import { describe, expect, it, vi } from "vitest";
import { NOON, otherSecret, recordingReceiver, refundAuthorized, secret } from "../fixtures.ts";

// Counts the cryptography: what an attempt costs, not how long it takes.
vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>();
  return {
    ...real,
    createHmac: vi.fn<typeof crypto.createHmac>(real.createHmac),
    timingSafeEqual: vi.fn<typeof crypto.timingSafeEqual>(real.timingSafeEqual),
  };
});

const event = refundAuthorized();
const json = Buffer.from(JSON.stringify(event));
const noon = String(NOON / 1000);
/** The key bytes of a `whsec_` secret (Standard Webhooks, "Signature scheme"). */
const keyOf = (text: string): Buffer => Buffer.from(text.slice("whsec_".length), "base64");
const v1 = (bytes: Uint8Array): string => `v1,${Buffer.from(bytes).toString("base64")}`;

interface Signed {
  readonly id?: string;
  readonly timestamp?: string;
  readonly body?: Uint8Array;
}

/** A `v1` signature by any key, even one that no receiver accepts. */
function signatureBy(
  key: Uint8Array | string,
  { id = event.id, timestamp = noon, body = json }: Signed = {},
  algorithm = "sha256",
): Buffer {
  return crypto.createHmac(algorithm, key).update(`${id}.${timestamp}.`).update(body).digest();
}

/** Returns the outcome's kind for an attempt with headers that a stranger writes. */
async function kindOf(
  receiver: Pick<Receiver, "receive">,
  signature: string,
  { id = event.id, timestamp = noon, body = json }: Signed = {},
): Promise<string> {
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  };
  return (await receiver.receive({ headers, body })).kind;
}

const genuine = signatureBy(keyOf(secret));
const create = (secrets: unknown): unknown =>
  createReceiver({ secrets: secrets as readonly Secret[], fallback: () => undefined });

/** The HMACs and comparisons that the receiver makes for one signature header, and its verdict. */
async function costOf(signature: string, secrets: readonly string[] = [secret]) {
  const { receiver } = recordingReceiver({ secrets });
  vi.clearAllMocks();
  const kind = await kindOf(receiver, signature);
  const compared = vi.mocked(crypto.timingSafeEqual).mock.calls;
  return {
    kind,
    hmacs: vi.mocked(crypto.createHmac).mock.calls.length,
    compared: compared.map(([left, right]) => [left.byteLength, right.byteLength]),
  };
}

describe("A1: the comparison of digests", () => {
  it("[R-VERIFY-CONSTANT-TIME] costs the same for a wrong first and a wrong last byte", async () => {
    const refused = { kind: "rejected", hmacs: 1, compared: [[32, 32]] };
    for (let index = 0; index < 32; index += 1) {
      const bytes = Buffer.from(genuine);
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      expect(await costOf(v1(bytes))).toEqual(refused);
    }
    expect(await costOf(v1(genuine))).toEqual({ ...refused, kind: "handled" });
  });

  it("[R-VERIFY-EACH] compares every candidate with every secret, whichever matches", async () => {
    const decoy = v1(Buffer.alloc(32));
    const compared = Array.from({ length: 6 }, () => [32, 32]);
    for (const header of [`${v1(genuine)} ${decoy} ${decoy}`, `${decoy} ${decoy} ${v1(genuine)}`])
      for (const secrets of [
        [secret, otherSecret],
        [otherSecret, secret],
      ])
        expect(await costOf(header, secrets)).toEqual({ kind: "handled", hmacs: 2, compared });
  });

  it("is left to the signatures package by every source file of the receiver", () => {
    const folder = new URL("../../src/", import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8"));
    expect(sources.length).toBeGreaterThan(20);
    const own =
      /createHmac|timingSafeEqual|subtle|signature"?\]?\)?\s*[!=]==?|\.equals\(|\.compare\(/;
    expect(sources.filter((text) => own.test(text))).toEqual([]);
  });
});

describe("a signature header", () => {
  it("A2: is refused with a digest of any other length than 32 bytes", async () => {
    const { receiver } = recordingReceiver();
    for (let length = 0; length <= 128; length += 1)
      if (length !== 32)
        expect(await kindOf(receiver, v1(Buffer.alloc(length, genuine)))).toBe("rejected");
    expect(await kindOf(receiver, `${v1(genuine)}=`)).toBe("rejected");
    expect(await kindOf(receiver, v1(genuine))).toBe("handled");
  });

  it("A4: is refused without cryptography if it has more than eight signatures", async () => {
    const many = Array<string>(100_000).fill(v1(Buffer.alloc(32)));
    const nothing = { kind: "rejected", hmacs: 0, compared: [] };
    expect(await costOf([v1(genuine), ...many].join(" "))).toEqual(nothing);
    expect(await costOf([v1(genuine), ...many.slice(0, 8)].join(" "))).toEqual(nothing);
    expect((await costOf([...many.slice(0, 7), v1(genuine)].join(" "))).kind).toBe("handled");
  });

  it("A9: is accepted only where its text was split when it was signed", async () => {
    // Split at its second timestamp it would be the attempt of an id with full stops and a body that is JSON.
    const text = `x.${noon}.{"id":"${event.id}","note":"a.${noon}.b","x":1.5,"y":"..."}`;
    const signed = `${event.id}.${noon}.${text}`;
    const signature = v1(crypto.createHmac("sha256", keyOf(secret)).update(signed).digest());
    const { receiver, outcomes } = recordingReceiver();
    const stops = Array.from(signed.matchAll(/\./g), ({ index }) => index);
    const passed: [number, number][] = [];
    for (const first of stops)
      for (const second of stops.filter((stop) => stop > first)) {
        const [id, timestamp] = [signed.slice(0, first), signed.slice(first + 1, second)];
        await kindOf(receiver, signature, {
          id,
          timestamp,
          body: Buffer.from(signed.slice(second + 1)),
        });
        const outcome = outcomes.at(-1);
        const isSigned = outcome?.kind !== "rejected" || outcome.code === "CS_BODY_NOT_JSON";
        if (isSigned) passed.push([first, second]);
      }
    expect(stops.length).toBeGreaterThan(8);
    expect(passed).toEqual([[event.id.length, event.id.length + 1 + noon.length]]);
    for (const parts of [{ id: "evt.1" }, { timestamp: `${noon}.0` }, { timestamp: "" }])
      expect(await kindOf(receiver, v1(signatureBy(keyOf(secret), parts)), parts)).toBe("rejected");
  });
});

describe("A11: a signed timestamp", () => {
  const kindAt = (timestamp: string): Promise<string> => {
    const { receiver } = recordingReceiver();
    return kindOf(receiver, v1(signatureBy(keyOf(secret), { timestamp })), { timestamp });
  };

  it.each([
    [-301, "rejected"],
    [-300, "handled"],
    [300, "handled"],
    [301, "rejected"],
  ])("[R-VERIFY-STALE] of %i seconds from now is %s", async (seconds, kind) => {
    expect(await kindAt(String(NOON / 1000 + seconds))).toBe(kind);
  });

  it.each(["0", "-1", String(NOON), "1e9", `+${noon}`, `${noon}.0`, `0${noon}`, `${noon}abc`, ""])(
    "written as %j is refused",
    async (timestamp) => expect(await kindAt(timestamp)).toBe("rejected"),
  );
});

describe("A5: [R-VERIFY-VERSION] a receiver with one kind of key", () => {
  const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  const whpk = `whpk_${raw.toString("base64")}`;
  const text = Buffer.concat([Buffer.from(`${event.id}.${noon}.`), json]);
  const v1a = `v1a,${crypto.sign(null, text, privateKey).toString("base64")}`;

  it("accepts no HMAC by any form of its public key", async () => {
    const { receiver } = recordingReceiver({ secrets: [whpk] });
    const pem = publicKey.export({ type: "spki", format: "pem" });
    for (const form of [raw, pem, pem.toString().trim(), whpk, whpk.slice(5), raw.toString("hex")])
      for (const version of ["v1,", "v1a,"])
        for (const algorithm of ["sha256", "sha1"]) {
          const header = v1(signatureBy(form, {}, algorithm)).replace("v1,", version);
          expect(await kindOf(receiver, header)).toBe("rejected");
        }
    expect(await kindOf(receiver, v1(genuine))).toBe("rejected");
    expect(await kindOf(receiver, v1a)).toBe("handled");
  });

  it("accepts no ed25519 signature and no SHA-1 if its secret is symmetric", async () => {
    const { receiver } = recordingReceiver();
    expect(await kindOf(receiver, v1a)).toBe("rejected");
    expect(await kindOf(receiver, v1(signatureBy(keyOf(secret), {}, "sha1")))).toBe("rejected");
    expect(await kindOf(receiver, v1(genuine))).toBe("handled");
  });
});

describe("[R-SECRET-FORM] A7: createReceiver", () => {
  // The signatures package tests every form; here each kind of mistake reaches the start-up check.
  it.each([
    ["an empty secret", ""],
    ["an unset environment variable", undefined],
    ["a number", 7],
    ["a prefix without a key", "whsec_"],
    ["a key that is not base64", "whsec_!!!"],
    ["a space at the end", `${secret} `],
    ["a quoted secret", `"${secret}"`],
    ["a key of 23 bytes", `whsec_${Buffer.alloc(23, 7).toString("base64")}`],
    ["few raw bytes", { raw: new Uint8Array(23) }],
    ["a short text", "hunter2hunter2"],
    ["an environment variable that was not replaced", "$WEBHOOK_SECRET"],
    ["a public key of 31 bytes", `whpk_${Buffer.alloc(31, 7).toString("base64")}`],
    ["a private key", `whsk_${Buffer.alloc(64, 7).toString("base64")}`],
  ])("refuses %s, also next to a good secret, without printing it", (_what, value) => {
    const isLong = typeof value === "string" && value.length > 12;
    const shown = isLong ? value.trim().slice(4) : "no such text";
    for (const secrets of [[value], [otherSecret, value]]) {
      expect(() => create(secrets)).toThrow(TypeError);
      expect(() => create(secrets)).not.toThrow(shown);
    }
  });

  it("A6: refuses an ed25519 key of small order", () => {
    for (const hex of [`01${"00".repeat(31)}`, `ed${"ff".repeat(30)}7f`]) {
      const key = Buffer.from(hex, "hex").toString("base64");
      expect(() => create([`whpk_${key}`])).toThrow(TypeError);
    }
  });

  it.each([undefined, [], secret, Array(5).fill(secret)])("refuses %j as secrets", (value) => {
    expect(() => create(value)).toThrow(TypeError);
  });

  it("makes receivers that cannot be forged with an empty or undecoded key", async () => {
    const { receiver } = recordingReceiver();
    for (const key of ["", Buffer.from("!!!", "base64"), secret, secret.slice(6), Buffer.alloc(32)])
      expect(await kindOf(receiver, v1(signatureBy(key)))).toBe("rejected");
  });
});

describe("A8: one secret text under two schemes", () => {
  it("is decoded for Standard Webhooks and used as text by the other, never both", async () => {
    const body = Buffer.from(
      JSON.stringify({
        id: event.id,
        eventType: "customer.activated",
        creationTime: "2026-11-24T05:00:00.000Z",
        metadata: { resourceId: "cus_1" },
      }),
    );
    const untyped = createReceiver({
      profile: "x-signature",
      secrets: [secret],
      fallback: () => undefined,
      now: () => NOON,
    });
    const message = { id: event.id, timestamp: NOON / 1000, body };
    const kinds: string[] = [];
    for (const key of [{ raw: keyOf(secret) }, secret]) {
      const headers = {
        "content-type": "application/json",
        ...xSignature().sign(message, [key]),
      };
      kinds.push((await untyped.receive({ headers, body })).kind);
    }
    expect(kinds).toEqual(["rejected", "unrouted"]);
    expect(await kindOf(untyped, v1(genuine))).toBe("rejected");
    expect(await kindOf(recordingReceiver().receiver, v1(signatureBy(secret)))).toBe("rejected");
  });
});
