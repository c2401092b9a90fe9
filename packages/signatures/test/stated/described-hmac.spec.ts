import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyHmac,
  describedHmac,
  type Encoding,
  type HmacDescription,
  hmacPresets,
  schemeOf,
  type SignatureScheme,
  type SignedPart,
  timestampedHmac,
  xSignature,
} from "../../src/stated/index.ts";
import { messageOf, now, NOW_SECONDS, signed, TEXT_SECRET } from "./attempts.ts";

const OTHER = "another-secret-of-this-kind";
const message = messageOf();
const { body } = message;
const secrets = [TEXT_SECRET];

/** The outcome's code for an attempt whose signature header is replaced; "ok" for a genuine one. */
function codeOf(scheme: SignatureScheme, value?: string, options: object = {}): string {
  const headers = scheme.sign(message, secrets);
  const [name = ""] = Object.keys(headers).filter((one) => !/Timestamp|Id$/.test(one));
  const sent = { ...headers, ...(value === undefined ? {} : { [name]: value }) };
  const verification = scheme.verify({ headers: sent, body }, secrets, { now, ...options });
  return verification.ok ? "ok" : verification.code.replace("CS_SIGNATURE_", "");
}

const three = xSignature();
const timed = timestampedHmac({ header: "X-Sig" });
const bodyOnly = bodyHmac({ header: "X-Sig", prefix: "sha256=" });
const listOf = (separator: " " | ",") =>
  describedHmac({
    ...hmacPresets.xSignature,
    name: "list",
    form: { kind: "list", prefix: "v1:", separator },
  });
const list = listOf(" ");
const digest = "f62fe36435823a5cf8596537287cf6931b9dddf0b127f8211633da3c8414f241";
const t = "t=1614265330";
const bare = String(bodyOnly.sign(message, secrets)["X-Sig"]);
const listed = String(list.sign(message, secrets)["X-Signature"]);

describe("a described scheme", () => {
  it("of three headers signs id.timestamp.body with HMAC-SHA512", () => {
    expect(three.sign(message, secrets)).toEqual({
      "X-Signature":
        "W7Ba3OXIKQrk1kPylYcLLg3Z0EV7dxo8yA5PKblmVv9nUC+2At2tq+MrVr7uMkLL9LWCsASBuYOkCdLOMDWkaw==",
      "X-Signature-Timestamp": "1614265330",
      "X-Signature-UniqueId": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    });
    expect(three.verify(signed(three, secrets), secrets, { now })).toMatchObject({
      id: message.id,
      timestamp: NOW_SECONDS,
    });
  });

  it("of a single signature takes one secret to sign and several to verify", () => {
    const two = [TEXT_SECRET, OTHER];
    expect(() => three.sign(message, two)).toThrow(/one secret/);
    expect(() => three.check(two, "sign")).toThrow(/one secret/);
    expect(() => three.check(two, "verify")).not.toThrow();
  });

  it("of pairs signs timestamp.body with HMAC-SHA256 once for each secret", () => {
    expect(timed.sign(message, secrets)).toEqual({ "X-Sig": `${t},v1=${digest}` });
    const attempt = signed(timed, [OTHER, TEXT_SECRET]);
    expect(attempt.headers["X-Sig"]).toMatch(/^t=1614265330,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const verified = { ok: true, id: undefined, timestamp: NOW_SECONDS, secretIndex: 0 };
    expect(timed.verify(attempt, secrets, { now })).toEqual(verified);
  });

  it("of the body signs nothing else, and verifies at any time, without an id and a time", () => {
    const { headers } = signed(bodyOnly, secrets);
    expect(bare).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(bodyOnly.sign({ ...message, id: "a.b", timestamp: 1 }, secrets)).toEqual(headers);
    const verified = { ok: true, id: undefined, timestamp: undefined, secretIndex: 0 };
    for (const clock of [0, now, now + 1e12])
      expect(bodyOnly.verify({ headers, body }, secrets, { now: clock })).toEqual(verified);
  });

  it("has the names, the algorithm, the encoding and the prefix of its options", () => {
    const other = timestampedHmac({
      header: "X-Other",
      algorithm: "sha512",
      encoding: "base64",
      timestampName: "ts",
      signatureName: "sig",
      minSecretBytes: 3,
    });
    const base64 = bodyHmac({ header: "X", algorithm: "sha512", encoding: "base64" });
    expect(other.sign(message, ["abc"])["X-Other"]).toMatch(
      /^ts=1614265330,sig=[A-Za-z0-9+/]{86}==$/,
    );
    expect(bodyHmac({ header: "X" }).sign(message, secrets)["X"]).toMatch(/^[0-9a-f]{64}$/);
    expect(base64.sign(message, secrets)["X"]).toMatch(/^[A-Za-z0-9+/]{86}==$/);
  });

  it("is made from what a profile states", () => {
    const { headers } = signed(three, secrets);
    const stated = { scheme: "hmac", description: hmacPresets.xSignature } as const;
    expect(signed(schemeOf(stated), secrets).headers).toEqual(headers);
    expect(schemeOf({ scheme: "standard-webhooks" }).name).toBe("standard-webhooks");
  });

  it("names the header that is not in its form, in lower case", () => {
    const headers = three.sign(message, secrets);
    const headerOf = (scheme: SignatureScheme, change: object) =>
      scheme.verify({ headers: { ...headers, ...change }, body }, secrets, { now });
    for (const header of ["X-Signature", "X-Signature-Timestamp", "X-Signature-UniqueId"])
      expect(headerOf(three, { [header]: "!" })).toMatchObject({
        facts: { header: header.toLowerCase() },
      });
    expect(headerOf(timed, { "X-Sig": "t=!,v1=abc" })).toMatchObject({
      facts: { header: "x-sig" },
    });
  });

  it("uses the tolerance of its options unless a call gives another", () => {
    for (const make of [xSignature, (one: object) => timestampedHmac({ header: "X", ...one })]) {
      const patient = make({ toleranceSeconds: 600 });
      const late = { now: now + 600_000 };
      expect(codeOf(patient, undefined, late)).toBe("ok");
      const strict = { ...late, toleranceSeconds: 599 };
      expect(codeOf(patient, undefined, strict)).toBe("TIMESTAMP_TOO_OLD");
    }
  });

  it.each<[string, SignatureScheme, string[]]>([
    [
      "ok",
      timed,
      [
        `v1=${digest},${t}`,
        `${t},v0=abc,v1=${digest}`,
        `${t},v1=nothing,v1=${digest}`,
        `${t},v1=${digest},v1=${"0".repeat(64)}`,
        `${t},${"v0=,".repeat(7)}v1=${digest}`,
      ],
    ],
    [
      "MALFORMED",
      timed,
      [
        "",
        `${t},${t},v1=${digest}`,
        `${t},v1=${digest},`,
        `${t},v1`,
        `${t},=x,v1=${digest}`,
        `${t},${"v".repeat(33)}=x,v1=${digest}`,
        `${t},v1=${digest.toUpperCase()}`,
        `${t},v1=${digest}00`,
      ],
    ],
    ["TIMESTAMP_INVALID", timed, [`${t} ,v1=${digest}`, `t=,v1=${digest}`]],
    ["VERSION_UNSUPPORTED", timed, [`${t},v0=${digest}`, t]],
    ["HEADER_DUPLICATE", timed, [`${t}, v1=${digest}`]],
    ["HEADER_INVALID", timed, [`${t},v0=é,v1=${digest}`]],
    ["TOO_MANY", timed, [`${t},${"v0=,".repeat(8)}v1=${digest}`]],
    ["MISMATCH", timed, [`t=1614265331,v1=${digest}`]],
    ["MALFORMED", bodyOnly, [bare.slice("sha256=".length), bare.toUpperCase(), `${bare},${bare}`]],
    ["ok", list, [listed, `v2:abc v1:abc ${listed}`]],
    ["ok", listOf(","), [listed, `v2:abc,v1:abc,${listed}`]],
    ["MALFORMED", listOf(","), ["v2,v1:x"]],
    ["VERSION_UNSUPPORTED", list, ["v2:abc v3:def"]],
    ["MALFORMED", list, ["v2 v1:x", "v1:abc", ` ${listed}`, `v2:abc  ${listed}`]],
    ["TOO_MANY", list, [Array(9).fill("v2:abc").join(" ")]],
  ])("answers %s for signature headers of $1.name", (code, scheme, values) => {
    for (const value of values) expect([value, codeOf(scheme, value)]).toEqual([value, code]);
  });

  it("joins a list of signatures by its separator", () => {
    for (const separator of [" ", ","] as const) {
      const { "X-Signature": sent = "" } = listOf(separator).sign(message, [OTHER, TEXT_SECRET]);
      expect(sent.split(separator)).toHaveLength(2);
      expect(codeOf(listOf(separator), sent)).toBe("ok");
    }
  });

  it("without a separator has a timestamp of exactly ten digits, none of which can move into the body", () => {
    const scheme = describedHmac(hmacPresets.unseparated);
    const { headers } = signed(scheme, secrets, { ...message, body: Buffer.from("12345") });
    const options = { now, toleranceSeconds: Number.MAX_SAFE_INTEGER };
    const text = "161426533012345";
    for (let cut = 1; cut < text.length; cut++) {
      const sent = { ...headers, "X-Webhook-Timestamp": text.slice(0, cut) };
      const attempt = { headers: sent, body: Buffer.from(text.slice(cut)) };
      expect(scheme.verify(attempt, secrets, options).ok).toBe(cut === 10);
    }
    for (const timestamp of [0, 999_999_999, 10_000_000_000])
      expect(() => scheme.sign({ ...message, timestamp }, secrets)).toThrow(/ten digits/);
  });

  it("copies its description, so later changes have no effect", () => {
    const parts: SignedPart[] = ["timestamp", "body"];
    const mutable: { encoding: Encoding } & HmacDescription = {
      ...hmacPresets.timestamped,
      encoding: "hex",
      signed: parts,
    };
    const scheme = describedHmac(mutable);
    const before = scheme.sign(message, secrets);
    mutable.encoding = "base64";
    parts.pop();

    expect(scheme.sign(message, secrets)).toEqual(before);
  });

  it("may order the parts in any way, from a description that went through JSON", () => {
    const parts = fc.shuffledSubarray(["id", "timestamp"] as const);
    const separator = fc.constantFrom(".", "|", ":", "\n", ", ", "::", "/");
    const alone = describedHmac({ ...hmacPresets.body, encoding: "base64" });

    fc.assert(
      fc.property(parts, fc.nat(2), separator, fc.uint8Array(), (others, at, between, bytes) => {
        const order: SignedPart[] = [...others];
        order.splice(Math.min(at, order.length), 0, "body");
        const hasId = others.includes("id");
        const hasTime = others.includes("timestamp");
        const description = {
          ...hmacPresets.unseparated,
          headers: {
            signature: "S",
            ...(hasId ? { id: "I" } : {}),
            ...(hasTime ? { timestamp: "T" } : {}),
          },
          form: { kind: "single", prefix: "" },
          signed: order,
          separator: between,
        };
        const scheme = describedHmac(JSON.parse(JSON.stringify(description)) as HmacDescription);
        const values = { id: message.id, timestamp: String(NOW_SECONDS), body: bytes };
        const text = order.flatMap((part, index) => [
          Buffer.from(index === 0 ? "" : between),
          Buffer.from(values[part]),
        ]);

        const attempt = signed(scheme, secrets, { ...message, body: bytes });

        expect(attempt.headers["S"]).toBe(
          alone.sign({ ...message, body: Buffer.concat(text) }, secrets)["X-Signature"],
        );
        expect(scheme.verify(attempt, secrets, { now })).toEqual({
          ok: true,
          id: hasId ? message.id : undefined,
          timestamp: hasTime ? NOW_SECONDS : undefined,
          secretIndex: 0,
        });
      }),
    );
  });
});
