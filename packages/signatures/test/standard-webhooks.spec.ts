import { describe, expect, it } from "vitest";
import { type Secret, standardWebhooks } from "../src/index.ts";
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
const asymmetric = String(signed(scheme, [PRIVATE_KEY]).headers["webhook-signature"]);

function judge(headers: Record<string, unknown>, secrets: readonly Secret[] = [SECRET]) {
  // A plain server may hand over anything as a header's value.
  const attempt = { headers: headers as Record<string, string>, body: genuine.body };
  return scheme.verify(attempt, secrets, { now });
}

function withSignature(signature: string, secrets?: readonly Secret[]) {
  return judge({ ...genuine.headers, "webhook-signature": signature }, secrets);
}

/** A signature of so many bytes. */
function ofLength(version: string, length: number) {
  const bytes = Buffer.alloc(length);
  return withSignature(`${version},${bytes.toString("base64")}`, [SECRET, PUBLIC_KEY]);
}

/** A genuine attempt of that second. */
function at(seconds: number, toleranceSeconds?: number) {
  const attempt = signed(scheme, [SECRET], { ...messageOf(), timestamp: seconds });
  const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
  return scheme.verify(attempt, [SECRET], { now, ...tolerance });
}

/** The genuine attempt on a clock of that millisecond. */
function onTheDot(milliseconds: number) {
  return scheme.verify(genuine, [SECRET], { now: milliseconds, toleranceSeconds: 0 });
}

describe("an attempt signed by Standard Webhooks", () => {
  it("carries the id, the timestamp and the signature", () => {
    expect(genuine.headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("names its scheme", () => {
    expect(scheme.name).toBe("standard-webhooks");
  });

  it("verifies to its signed id, its time and the secret that made it", () => {
    expect(judge(genuine.headers)).toEqual({
      ok: true,
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: NOW_SECONDS,
      secretIndex: 0,
    });
  });

  it("verifies with the key as text, as bytes and as base64 alike", () => {
    const text = "printable-key-of-26-bytes!";
    const bytes = Buffer.from(text);
    const forms: Secret[] = [
      `raw:${text}`,
      { raw: text },
      { raw: bytes },
      `whsec_${bytes.toString("base64")}`,
    ];

    for (const form of forms) {
      const { headers } = signed(scheme, [form]);
      expect(forms.map((secret) => judge(headers, [secret]).ok)).toEqual([true, true, true, true]);
    }
  });

  it("takes the text after raw: as it stands, a prefix included", () => {
    const { headers } = signed(scheme, [`raw:${SECRET}`]);

    expect(judge(headers, [{ raw: SECRET }]).ok).toBe(true);
    expect(judge(headers, [SECRET])).toMatchObject({ ok: false, code: "CS_SIGNATURE_MISMATCH" });
  });
});

describe("during a rotation", () => {
  it("the sender signs with each secret, and either receiver accepts", () => {
    const { headers } = signed(scheme, [SECRET, OTHER_SECRET]);

    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    expect(judge(headers, [SECRET])).toMatchObject({ ok: true, secretIndex: 0 });
    expect(judge(headers, [OTHER_SECRET])).toMatchObject({ ok: true, secretIndex: 0 });
  });

  it("the receiver tries each secret and names the first that matches", () => {
    expect(judge(genuine.headers, [OTHER_SECRET, SECRET])).toMatchObject({ secretIndex: 1 });
    expect(judge(genuine.headers, [OTHER_SECRET, SECRET, SECRET])).toMatchObject({
      secretIndex: 1,
    });
  });

  it("symmetric and asymmetric keys mix on both sides", () => {
    const { headers } = signed(scheme, [SECRET, PRIVATE_KEY]);

    expect(headers["webhook-signature"]).toBe(`${genuineSignature} ${asymmetric}`);
    expect(judge(headers, [SECRET])).toMatchObject({ ok: true, secretIndex: 0 });
    expect(judge(headers, [PUBLIC_KEY])).toMatchObject({ ok: true, secretIndex: 0 });
    expect(judge(headers, [OTHER_SECRET, PUBLIC_KEY])).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it("a genuine signature counts at every place in the list", () => {
    const decoy = `v1,${Buffer.alloc(32).toString("base64")}`;

    for (let place = 0; place < 8; place++) {
      const list = Array.from({ length: 8 }, () => decoy).with(place, genuineSignature);
      expect(withSignature(list.join(" "))).toMatchObject({ ok: true });
    }
  });
});

describe("the signature header of Standard Webhooks", () => {
  it.each([
    ["an unknown version beside the genuine one", `v2,abc ${genuineSignature}`],
    ["an empty signature after the genuine one", `${genuineSignature} v1,`],
    ["a cut signature after the genuine one", `${genuineSignature} v1,x`],
    ["a garbled signature beside the genuine one", `v1,!!! ${genuineSignature}`],
    ["another length beside the genuine one", `v1,AAAA ${genuineSignature}`],
    ["a signature of the other kind", `v1a,AAAA ${genuineSignature}`],
  ])("may hold %s", (_, signature) => {
    expect(withSignature(signature)).toMatchObject({ ok: true });
  });

  it.each([
    ["", "CS_SIGNATURE_MALFORMED"],
    [" ", "CS_SIGNATURE_MALFORMED"],
    [symmetric, "CS_SIGNATURE_MALFORMED"],
    [`,${symmetric}`, "CS_SIGNATURE_MALFORMED"],
    [`${genuineSignature}  ${genuineSignature}`, "CS_SIGNATURE_MALFORMED"],
    [` ${genuineSignature}`, "CS_SIGNATURE_MALFORMED"],
    [`${genuineSignature} `, "CS_SIGNATURE_MALFORMED"],
    [`v!,x ${genuineSignature}`, "CS_SIGNATURE_MALFORMED"],
    [`${"v".repeat(33)},x ${genuineSignature}`, "CS_SIGNATURE_MALFORMED"],
    ["v1,", "CS_SIGNATURE_MALFORMED"],
    [`v1,${symmetric},junk`, "CS_SIGNATURE_MALFORMED"],
    [`v1,${symmetric.replaceAll("=", "")}`, "CS_SIGNATURE_MALFORMED"],
    [`v1,${symmetric.replaceAll("+", "-")}`, "CS_SIGNATURE_MALFORMED"],
    [`v1,${Buffer.from(symmetric, "base64").toString("hex")}`, "CS_SIGNATURE_MALFORMED"],
    [`v1,${symmetric}AAAA`, "CS_SIGNATURE_MALFORMED"],
    [`V1,${symmetric}`, "CS_SIGNATURE_VERSION_UNSUPPORTED"],
    [`v2,${symmetric}`, "CS_SIGNATURE_VERSION_UNSUPPORTED"],
    [`v1a,${symmetric}`, "CS_SIGNATURE_VERSION_UNSUPPORTED"],
    [asymmetric, "CS_SIGNATURE_VERSION_UNSUPPORTED"],
    [`${genuineSignature}, ${genuineSignature}`, "CS_SIGNATURE_HEADER_DUPLICATE"],
    [`v1, ${genuineSignature}`, "CS_SIGNATURE_HEADER_DUPLICATE"],
    [`v1,\u0000 ${genuineSignature}`, "CS_SIGNATURE_HEADER_INVALID"],
    [`v2,é ${genuineSignature}`, "CS_SIGNATURE_HEADER_INVALID"],
    [`v1a,\u00ff ${genuineSignature}`, "CS_SIGNATURE_HEADER_INVALID"],
    [Array(9).fill(genuineSignature).join(" "), "CS_SIGNATURE_TOO_MANY"],
    ["x".repeat(4097), "CS_SIGNATURE_HEADER_TOO_LONG"],
    [`v1,${Buffer.alloc(32).toString("base64")}`, "CS_SIGNATURE_MISMATCH"],
  ])("%j is refused with %s", (signature, code) => {
    expect(withSignature(signature)).toMatchObject({ ok: false, code });
  });

  it("is read up to 4,096 characters", () => {
    const filler = `v2,${"x".repeat(4096 - genuineSignature.length - "v2, ".length)}`;

    expect(`${filler} ${genuineSignature}`).toHaveLength(4096);
    expect(withSignature(`${filler} ${genuineSignature}`)).toMatchObject({ ok: true });
    expect(withSignature(`${filler}x ${genuineSignature}`)).toMatchObject({
      ok: false,
      code: "CS_SIGNATURE_HEADER_TOO_LONG",
    });
  });

  it("is refused where the digest has any other length, without an exception", () => {
    const lengths = Array.from({ length: 129 }, (_, length) => length);
    expect(lengths.filter((length) => ofLength("v1", length).ok)).toEqual([]);
    expect(lengths.filter((length) => ofLength("v1a", length).ok)).toEqual([]);
  });
});

describe("a key of Standard Webhooks", () => {
  it("of one kind never verifies the other kind's version", () => {
    const spki = Buffer.from("302a300506032b6570032100", "hex");
    const raw = Buffer.from(PUBLIC_KEY.slice("whpk_".length), "base64");
    const publicForms = [
      raw,
      Buffer.concat([spki, raw]),
      Buffer.from(PUBLIC_KEY),
      Buffer.from(raw.toString("base64")),
      Buffer.from(
        `-----BEGIN PUBLIC KEY-----\n${Buffer.concat([spki, raw]).toString("base64")}\n-----END PUBLIC KEY-----\n`,
      ),
    ];
    const forgeries = publicForms.map((form) => signed(scheme, [{ raw: form }]).headers);

    expect(forgeries.map((headers) => judge(headers, [PUBLIC_KEY]))).toMatchObject(
      forgeries.map(() => ({ ok: false, code: "CS_SIGNATURE_VERSION_UNSUPPORTED" })),
    );
    // Beside a secret of its own the version is read, and still only that secret counts.
    expect(forgeries.map((headers) => judge(headers, [PUBLIC_KEY, SECRET]))).toMatchObject(
      forgeries.map(() => ({ ok: false, code: "CS_SIGNATURE_MISMATCH" })),
    );
  });

  it("verifies no signature of its own under the other kind's version", () => {
    const [hmacBytes, edBytes] = [symmetric, asymmetric.slice("v1a,".length)];
    const both = [SECRET, PUBLIC_KEY];
    const malformed = { ok: false, code: "CS_SIGNATURE_MALFORMED" };

    expect(withSignature(`v1a,${hmacBytes}`, both)).toMatchObject(malformed);
    expect(withSignature(`v1,${edBytes}`, both)).toMatchObject(malformed);
    expect(withSignature(`v1,${hmacBytes}`, both)).toMatchObject({ ok: true, secretIndex: 0 });
    expect(withSignature(`v1a,${edBytes}`, both)).toMatchObject({ ok: true, secretIndex: 1 });
  });

  it("that is private is refused in a receiver, and one that is public in a sender", () => {
    expect(() => scheme.check([PRIVATE_KEY], "verify")).toThrow(/^secrets\[0\] is a private key/);
    expect(() => scheme.check([SECRET, PUBLIC_KEY], "sign")).toThrow(
      /^secrets\[1\] is a public key/,
    );
    expect(() => scheme.check([PUBLIC_KEY], "verify")).not.toThrow();
    expect(() => scheme.check([PRIVATE_KEY], "sign")).not.toThrow();
  });

  it("that is empty forges nothing", () => {
    const forged = "v1,woH/1mJtZGSMCmpFTxRYbStS24eLLD/oXIYr4PYyZ7g=";

    expect(withSignature(forged)).toMatchObject({ ok: false, code: "CS_SIGNATURE_MISMATCH" });
  });
});

describe("the age of an attempt", () => {
  it.each([
    [-301, "CS_SIGNATURE_TIMESTAMP_TOO_OLD"],
    [-300, undefined],
    [300, undefined],
    [301, "CS_SIGNATURE_TIMESTAMP_TOO_NEW"],
  ])("is judged at %i s by an inclusive tolerance of 300 s", (offset, code) => {
    const verification = at(NOW_SECONDS + offset);

    expect(verification.ok ? undefined : verification.code).toBe(code);
  });

  it("is judged by the tolerance that is given", () => {
    expect(at(NOW_SECONDS - 1, 0)).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD" });
    expect(at(NOW_SECONDS, 0)).toMatchObject({ ok: true });
    expect(at(NOW_SECONDS + 900, 900)).toMatchObject({ ok: true });
    expect(at(NOW_SECONDS + 901, 900)).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_TOO_NEW" });
  });

  it("is counted in whole seconds of a clock that is rounded down", () => {
    expect(onTheDot(now - 1)).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_TOO_NEW" });
    expect(onTheDot(now + 999)).toMatchObject({ ok: true });
    expect(onTheDot(now + 1000)).toMatchObject({ code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD" });
  });

  it("is not told to whoever cannot sign", () => {
    const unsigned = { ...genuine.headers, "webhook-timestamp": "1" };

    expect(judge(unsigned)).toMatchObject({ ok: false, code: "CS_SIGNATURE_MISMATCH" });
  });

  it.each(["0", "999999999999"])("reaches to the timestamp %s", (timestamp) => {
    const message = { ...messageOf(), timestamp: Number(timestamp) };
    const { headers, body } = signed(scheme, [SECRET], message);
    const options = { now: message.timestamp * 1000 };

    expect(headers["webhook-timestamp"]).toBe(timestamp);
    expect(scheme.verify({ headers, body }, [SECRET], options)).toMatchObject({ ok: true });
  });
});

describe("the id and the timestamp", () => {
  it.each(["", " ", "a.b", "a b", "a,b", "a/b", "é", "a\n", "x".repeat(257), "msg_1, msg_1"])(
    "are refused as the id %j",
    (id) => {
      expect(judge({ ...genuine.headers, "webhook-id": id })).toMatchObject({
        ok: false,
        code: "CS_SIGNATURE_ID_INVALID",
      });
    },
  );

  it.each([
    ["-1", "+1614265330", " 1614265330", "1614265330 ", "01614265330", "00", "1e9", "0x10"],
    ["1614265330.0", "1614265330junk", "１６１４", "", "9007199254740992", "1614265330000"],
    ["1614265330, 1614265330", "16142/5330", "16142:5330", "yo"],
  ])("are refused as the timestamps %j, %j, %j …", (...timestamps) => {
    for (const timestamp of timestamps) {
      expect(judge({ ...genuine.headers, "webhook-timestamp": timestamp })).toMatchObject({
        ok: false,
        code: "CS_SIGNATURE_TIMESTAMP_INVALID",
      });
    }
  });

  it("may be 256 characters long", () => {
    const id = "x".repeat(256);
    const { headers } = signed(scheme, [SECRET], { ...messageOf(), id });

    expect(judge(headers)).toMatchObject({ ok: true, id });
  });
});
