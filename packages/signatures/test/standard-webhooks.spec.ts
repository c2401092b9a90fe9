import { describe, expect, it } from "vitest";
import { schemeOf, type Secret, type SignatureErrorCode, standardWebhooks } from "../src/index.ts";
import { documentOf } from "./provider-files.ts";
import {
  messageOf,
  now,
  NOW_SECONDS,
  OTHER_SECRET,
  PRIVATE_KEY,
  PUBLIC_KEY,
  SECRET,
  signed,
} from "./attempts.ts";

const scheme = standardWebhooks();
const genuine = signed(scheme, [SECRET]);
const genuineSignature = String(genuine.headers["webhook-signature"]);
const symmetric = genuineSignature.slice("v1,".length);
const decoy = `v1,${Buffer.alloc(32).toString("base64")}`;
const asymmetric = String(signed(scheme, [PRIVATE_KEY]).headers["webhook-signature"]);

function judge(headers: Record<string, unknown>, secrets: readonly Secret[] = [SECRET]) {
  // A plain server may hand over anything as a header's value.
  const attempt = { headers: headers as Record<string, string>, body: genuine.body };
  return scheme.verify(attempt, secrets, { now });
}

function withSignature(signature: string, secrets?: readonly Secret[]) {
  return judge({ ...genuine.headers, "webhook-signature": signature }, secrets);
}

/** A genuine attempt of that second, judged on a clock. */
function at(timestamp: number, options: { readonly now?: number; toleranceSeconds?: number } = {}) {
  const attempt = signed(scheme, [SECRET], { ...messageOf(), timestamp });
  return scheme.verify(attempt, [SECRET], { now, ...options });
}

describe("an attempt signed by Standard Webhooks", () => {
  it("has the id, the timestamp and the signature in headers, and verifies to them", () => {
    expect(genuine.headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
    const { id } = messageOf();
    const verified = { ok: true, id, timestamp: NOW_SECONDS, secretIndex: 0 };
    expect(judge(genuine.headers)).toMatchObject(verified);
  });

  it("is what the document of Standard Webhooks describes", () => {
    const described = schemeOf(documentOf("standard-webhooks"));
    const secrets = [SECRET, PRIVATE_KEY];
    expect(described.sign(messageOf(), secrets)).toEqual(scheme.sign(messageOf(), secrets));
    expect(described.verify(genuine, [SECRET], { now })).toEqual(judge(genuine.headers));
    expect(described.title).toBe(scheme.title);
  });

  it("is signed with each secret of the sender, and verifies under the first of the receiver's that matches", () => {
    const { headers } = signed(scheme, [SECRET, PRIVATE_KEY]);

    expect(headers["webhook-signature"]).toBe(`${genuineSignature} ${asymmetric}`);
    for (const [secrets, secretIndex] of [
      [[SECRET], 0],
      [[PUBLIC_KEY], 0],
      [[OTHER_SECRET, PUBLIC_KEY], 1],
      [[OTHER_SECRET, SECRET, SECRET], 1],
    ] as const)
      expect(judge(headers, secrets)).toMatchObject({ ok: true, secretIndex });
  });
});

describe("the signature header of Standard Webhooks", () => {
  it("may list unknown, empty and malformed signatures around the genuine one, at any place", () => {
    for (const other of ["v2,abc", "v1,x", "v1,!!!", "v1,AAAA", "v1a,AAAA", decoy])
      for (let place = 0; place < 8; place++) {
        const list = Array.from({ length: 8 }, () => other).with(place, genuineSignature);
        expect(withSignature(list.join(" "))).toMatchObject({ ok: true });
      }
    expect(withSignature(`${genuineSignature} v1,`)).toMatchObject({ ok: true });
  });

  const malformed = [
    "",
    " ",
    symmetric,
    `,${symmetric}`,
    `${genuineSignature}  ${genuineSignature}`,
    ` ${genuineSignature}`,
    `${genuineSignature} `,
    `v1,${symmetric},junk`,
    `v1,${symmetric.replaceAll("=", "")}`,
    `v1,${symmetric.replaceAll("+", "-")}`,
    `v1,${Buffer.from(symmetric, "base64").toString("hex")}`,
    `v1,${symmetric}AAAA`,
  ];
  it.each<[SignatureErrorCode, string[]]>([
    ["CS_SIGNATURE_MALFORMED", malformed],
    ["CS_SIGNATURE_VERSION_UNSUPPORTED", [`V1,${symmetric}`, `v2,${symmetric}`, asymmetric]],
    ["CS_SIGNATURE_HEADER_DUPLICATE", [`${genuineSignature}, ${decoy}`, `v1, ${decoy}`]],
    ["CS_SIGNATURE_HEADER_INVALID", [`v1,\0 ${genuineSignature}`, `v2,é ${genuineSignature}`]],
    ["CS_SIGNATURE_TOO_MANY", [Array(9).fill(genuineSignature).join(" ")]],
    ["CS_SIGNATURE_MISMATCH", [decoy]],
  ])("is refused with %s", (code, signatures) => {
    const header = "webhook-signature";
    const facts = code === "CS_SIGNATURE_MISMATCH" ? {} : { header };
    for (const signature of signatures)
      expect(withSignature(signature)).toMatchObject({ ok: false, code, facts });
  });

  it("is read up to 4,096 characters", () => {
    const filler = `v2,${"x".repeat(4096 - genuineSignature.length - "v2, ".length)}`;

    expect(withSignature(`${filler} ${genuineSignature}`)).toMatchObject({ ok: true });
    const code = "CS_SIGNATURE_HEADER_TOO_LONG";
    expect(withSignature(`${filler}x ${genuineSignature}`)).toMatchObject({ ok: false, code });
  });

  it("A2: is refused without an exception for digests of 0 to 128 bytes", () => {
    for (let length = 0; length <= 128; length++)
      for (const version of ["v1", "v1a"]) {
        const signature = `${version},${Buffer.alloc(length).toString("base64")}`;
        expect(withSignature(signature, [SECRET, PUBLIC_KEY]).ok).toBe(false);
      }
  });
});

describe("A5: [R-VERIFY-VERSION] a key of Standard Webhooks", () => {
  it("never verifies a forged signature of the other kind", () => {
    const spki = Buffer.from("302a300506032b6570032100", "hex");
    const raw = Buffer.from(PUBLIC_KEY.slice("whpk_".length), "base64");
    const der = Buffer.concat([spki, raw]);
    const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
    const texts = [PUBLIC_KEY, raw.toString("base64"), raw.toString("hex"), pem, pem.trim()];
    for (const form of [raw, der, ...texts.map((text) => Buffer.from(text))]) {
      const { headers } = signed(scheme, [{ raw: form }]);
      const code = "CS_SIGNATURE_VERSION_UNSUPPORTED";
      expect(judge(headers, [PUBLIC_KEY])).toMatchObject({ code });
      // With a shared secret the version is read, but only that secret counts.
      expect(judge(headers, [PUBLIC_KEY, SECRET])).toMatchObject({ code: "CS_SIGNATURE_MISMATCH" });
    }
  });

  it("refuses its own signature under the other kind's version", () => {
    const both = [SECRET, PUBLIC_KEY];
    const edBytes = asymmetric.slice("v1a,".length);
    for (const [signature, verdict] of [
      [`v1a,${symmetric}`, { code: "CS_SIGNATURE_MALFORMED" }],
      [`v1,${edBytes}`, { code: "CS_SIGNATURE_MALFORMED" }],
      [`v1,${symmetric}`, { ok: true, secretIndex: 0 }],
      [`v1a,${edBytes}`, { ok: true, secretIndex: 1 }],
    ] as const)
      expect(withSignature(signature, both)).toMatchObject(verdict);
  });
});

describe("A11: the signed time of an attempt", () => {
  it("may differ from the clock by the tolerance in both directions", () => {
    for (const [seconds, options] of [
      [300, {}],
      [0, { toleranceSeconds: 0 }],
      [900, { toleranceSeconds: 900 }],
    ] as const) {
      for (const offset of [-seconds, seconds])
        expect(at(NOW_SECONDS + offset, options)).toMatchObject({ ok: true });
      const [old, early] = [-seconds - 1, seconds + 1].map((by) => at(NOW_SECONDS + by, options));
      expect(old).toMatchObject({ ok: false, code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD" });
      expect(early).toMatchObject({ ok: false, code: "CS_SIGNATURE_TIMESTAMP_TOO_NEW" });
    }
  });

  it("is compared in whole seconds of a clock that is rounded down", () => {
    const onClock = (by: number) => at(NOW_SECONDS, { now: now + by, toleranceSeconds: 0 });
    expect(onClock(-1)).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_TOO_NEW" });
    expect(onClock(999)).toMatchObject({ ok: true });
    expect(onClock(1000)).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD" });
  });

  it("is not reported to a sender who cannot sign", () => {
    const unsigned = { ...genuine.headers, "webhook-timestamp": "1" };
    expect(judge(unsigned)).toMatchObject({ ok: false, code: "CS_SIGNATURE_MISMATCH" });
  });

  it("is signed without padding from 0 to 999,999,999,999", () => {
    for (const timestamp of [0, 1, 999_999_999, 10_000_000_000, 999_999_999_999]) {
      const { headers } = signed(scheme, [SECRET], { ...messageOf(), timestamp });
      expect(headers["webhook-timestamp"]).toBe(String(timestamp));
      expect(at(timestamp, { now: timestamp * 1000 })).toMatchObject({ ok: true, timestamp });
    }
  });

  const times =
    "-1|+1614265330| 1614265330|1614265330 |01614265330|00|1e9|0x10|1614265330.0|１６１４||" +
    "1614265330junk|9007199254740992|1614265330000|1614265330, 1614265330|16142/5330|16142:5330";
  const ids = ["", " ", "a.b", "a b", "a,b", "a/b", "é", "a\n", "x".repeat(257), "msg_1, msg_1"];
  it.each<[string, SignatureErrorCode, string[]]>([
    ["webhook-id", "CS_SIGNATURE_ID_INVALID", ids],
    ["webhook-timestamp", "CS_SIGNATURE_TIMESTAMP_INVALID", times.split("|")],
  ])("and its id are refused if %s is outside its grammar: %s", (name, code, values) => {
    for (const value of values)
      expect(judge({ ...genuine.headers, [name]: value })).toEqual({
        ok: false,
        code,
        facts: { header: name },
      });
  });

  it("may have an id of 256 characters", () => {
    const id = "x".repeat(256);
    const { headers } = signed(scheme, [SECRET], { ...messageOf(), id });
    expect(judge(headers)).toMatchObject({ ok: true, id });
  });
});
