import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyHmac,
  describedHmac,
  type Encoding,
  type HmacDescription,
  hmacPresets,
  type SignatureErrorCode,
  type SignatureScheme,
  type SignedPart,
  timestampedHmac,
  xSignature,
} from "../src/index.ts";
import { messageOf, now, NOW_SECONDS, signed, TEXT_SECRET } from "./attempts.ts";

const OTHER = "another-secret-of-this-kind";
const message = messageOf();
const { body } = message;

function judge(
  scheme: SignatureScheme,
  headers: Record<string, string>,
  options: { readonly toleranceSeconds?: number } = {},
) {
  return scheme.verify({ headers, body }, [TEXT_SECRET], { now, ...options });
}

describe("xSignature", () => {
  const scheme = xSignature();
  const { headers } = signed(scheme, [TEXT_SECRET]);

  it("signs id.timestamp.body with HMAC-SHA512 into three headers", () => {
    expect(headers).toEqual({
      "X-Signature":
        "W7Ba3OXIKQrk1kPylYcLLg3Z0EV7dxo8yA5PKblmVv9nUC+2At2tq+MrVr7uMkLL9LWCsASBuYOkCdLOMDWkaw==",
      "X-Signature-Timestamp": "1614265330",
      "X-Signature-UniqueId": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    });
    expect(judge(scheme, headers)).toMatchObject({ id: message.id, timestamp: NOW_SECONDS });
  });

  it("sends one signature, so that signing takes one secret", () => {
    expect(() => scheme.sign(message, [TEXT_SECRET, OTHER])).toThrow(/one secret/);
    expect(() => scheme.check([TEXT_SECRET, OTHER], "sign")).toThrow(/one secret/);
    expect(() => scheme.check([TEXT_SECRET, OTHER], "verify")).not.toThrow();
  });

  it("uses the tolerance of its options unless a call gives another", () => {
    const patient = xSignature({ toleranceSeconds: 600 });
    const late = signed(patient, [TEXT_SECRET], { ...message, timestamp: NOW_SECONDS - 600 });

    expect(judge(patient, late.headers)).toMatchObject({ ok: true });
    expect(judge(patient, late.headers, { toleranceSeconds: 599 })).toMatchObject({
      code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
    });
  });
});

describe("timestampedHmac", () => {
  const scheme = timestampedHmac({ header: "X-Sig" });
  const headers = signed(scheme, [TEXT_SECRET]).headers;
  const genuine = String(headers["X-Sig"]);
  const digest = genuine.slice("t=1614265330,v1=".length);

  it("signs timestamp.body with HMAC-SHA256 into t=…,v1=… and verifies to its time", () => {
    expect(genuine).toBe(
      "t=1614265330,v1=f62fe36435823a5cf8596537287cf6931b9dddf0b127f8211633da3c8414f241",
    );
    expect(judge(scheme, headers)).toEqual({
      ok: true,
      id: undefined,
      timestamp: NOW_SECONDS,
      secretIndex: 0,
    });
  });

  it("signs once for each secret, and each of them verifies", () => {
    const rotated = scheme.sign(message, [OTHER, TEXT_SECRET]);

    expect(rotated["X-Sig"]).toMatch(/^t=1614265330,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(judge(scheme, rotated)).toMatchObject({ ok: true, secretIndex: 0 });
  });

  it.each([
    `v1=${digest},t=1614265330`,
    `t=1614265330,v0=abc,v1=${digest}`,
    `t=1614265330,v1=nothing,v1=${digest}`,
    `t=1614265330,v1=${digest},v1=${"0".repeat(64)}`,
    `t=1614265330,${"v0=,".repeat(7)}v1=${digest}`,
  ])("verifies %s", (value) => {
    expect(judge(scheme, { "x-sig": value })).toMatchObject({ ok: true });
  });

  it.each<[SignatureErrorCode, string[]]>([
    [
      "CS_SIGNATURE_MALFORMED",
      [
        "",
        `t=1614265330,t=1614265330,v1=${digest}`,
        `t=1614265330,v1=${digest},`,
        `t=1614265330,v1`,
        `t=1614265330,=x,v1=${digest}`,
        `t=1614265330,${"v".repeat(33)}=x,v1=${digest}`,
        `t=1614265330,v1=${digest.toUpperCase()}`,
        `t=1614265330,v1=${digest}00`,
      ],
    ],
    ["CS_SIGNATURE_TIMESTAMP_INVALID", [`t=1614265330 ,v1=${digest}`, `t=,v1=${digest}`]],
    ["CS_SIGNATURE_VERSION_UNSUPPORTED", [`t=1614265330,v0=${digest}`, `t=1614265330`]],
    ["CS_SIGNATURE_HEADER_DUPLICATE", [`t=1614265330, v1=${digest}`]],
    ["CS_SIGNATURE_HEADER_INVALID", [`t=1614265330,v0=é,v1=${digest}`]],
    ["CS_SIGNATURE_TOO_MANY", [`t=1614265330,${"v0=,".repeat(8)}v1=${digest}`]],
    ["CS_SIGNATURE_MISMATCH", [`t=1614265331,v1=${digest}`]],
  ])("refuses malformed headers with %s", (code, values) => {
    for (const value of values)
      expect(judge(scheme, { "x-sig": value })).toMatchObject({ ok: false, code });
  });

  it("has the names, the algorithm and the encoding of its options", () => {
    const other = timestampedHmac({
      header: "X-Other",
      algorithm: "sha512",
      encoding: "base64",
      timestampName: "ts",
      signatureName: "sig",
      toleranceSeconds: 1,
      minSecretBytes: 3,
    });
    const short = other.sign(message, ["abc"]);

    expect(short["X-Other"]).toMatch(/^ts=1614265330,sig=[A-Za-z0-9+/]{86}==$/);
    expect(other.verify({ headers: short, body }, ["abc"], { now: now + 1000 })).toMatchObject({
      ok: true,
    });
    expect(other.verify({ headers: short, body }, ["abc"], { now: now + 2000 })).toMatchObject({
      code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
    });
  });
});

describe("bodyHmac", () => {
  const scheme = bodyHmac({ header: "X-Hub-Signature-256", prefix: "sha256=" });
  const headers = signed(scheme, [TEXT_SECRET]).headers;
  const genuine = String(headers["X-Hub-Signature-256"]);

  it("signs only the body, and verifies at any time, without an id and a time", () => {
    expect(genuine).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(scheme.sign({ ...message, id: "another", timestamp: 1 }, [TEXT_SECRET])).toEqual(
      headers,
    );
    const verified = { ok: true, id: undefined, timestamp: undefined, secretIndex: 0 };
    for (const clock of [0, now, now + 1e12])
      expect(scheme.verify({ headers, body }, [TEXT_SECRET], { now: clock })).toEqual(verified);
  });

  it.each([
    [genuine.slice("sha256=".length), "CS_SIGNATURE_MALFORMED"],
    [genuine.toUpperCase(), "CS_SIGNATURE_MALFORMED"],
  ])("refuses %j with %s", (value, code) => {
    expect(judge(scheme, { "x-hub-signature-256": value })).toMatchObject({ ok: false, code });
  });

  it("has no prefix unless it is given one", () => {
    expect(bodyHmac({ header: "X" }).sign(message, [TEXT_SECRET])["X"]).toMatch(/^[0-9a-f]{64}$/);
    const base64 = bodyHmac({ header: "X", algorithm: "sha512", encoding: "base64" });
    expect(base64.sign(message, [TEXT_SECRET])["X"]).toMatch(/^[A-Za-z0-9+/]{86}==$/);
  });
});

describe("a list of signatures", () => {
  const list: HmacDescription = {
    ...hmacPresets.xSignature,
    name: "list",
    form: { kind: "list", prefix: "v1:", separator: " " },
  };
  const scheme = describedHmac(list);
  const genuine = String(scheme.sign(message, [TEXT_SECRET])["X-Signature"]);

  it.each([" ", ","] as const)(
    "is joined and split by %j, and may contain unknown and malformed ones",
    (separator) => {
      const described = describedHmac({
        ...list,
        form: { kind: "list", prefix: "v1:", separator },
      });
      const headers = described.sign(message, [OTHER, TEXT_SECRET]);

      expect(headers["X-Signature"]?.split(separator)).toHaveLength(2);
      const beside = ["v2:abc", "v1:abc", headers["X-Signature"]].join(separator);
      expect(judge(described, { ...headers, "X-Signature": beside })).toMatchObject({ ok: true });
      expect(judge(described, { ...headers, "X-Signature": `v2${separator}v1:x` })).toMatchObject({
        code: "CS_SIGNATURE_MALFORMED",
      });
    },
  );

  it.each([
    ["v2:abc v3:def", "CS_SIGNATURE_VERSION_UNSUPPORTED"],
    ["v1:abc", "CS_SIGNATURE_MALFORMED"],
    [` ${genuine}`, "CS_SIGNATURE_MALFORMED"],
    [`v2:abc  ${genuine}`, "CS_SIGNATURE_MALFORMED"],
    [Array(9).fill("v2:abc").join(" "), "CS_SIGNATURE_TOO_MANY"],
  ])("as %j is refused with %s", (value, code) => {
    const headers = { ...scheme.sign(message, [TEXT_SECRET]), "X-Signature": value };

    expect(judge(scheme, headers)).toMatchObject({ ok: false, code });
  });
});

describe("an unseparated timestamp", () => {
  const scheme = describedHmac(hmacPresets.unseparated);

  it("has exactly ten digits, so none of them can move into the body", () => {
    const digits = Buffer.from("12345");
    const { headers } = signed(scheme, [TEXT_SECRET], { ...message, body: digits });
    const options = { now, toleranceSeconds: Number.MAX_SAFE_INTEGER };
    const at = (timestamp: string, text: string) => {
      const sent = { ...headers, "X-Webhook-Timestamp": timestamp };
      return scheme.verify({ headers: sent, body: Buffer.from(text) }, [TEXT_SECRET], options);
    };

    expect(at("1614265330", "12345")).toMatchObject({ ok: true });
    for (let cut = 1; cut < 15; cut++) {
      const text = "161426533012345";
      expect(at(text.slice(0, cut), text.slice(cut)).ok).toBe(cut === 10);
    }
  });

  it("cannot be signed with another number of digits", () => {
    for (const timestamp of [0, 999_999_999, 10_000_000_000]) {
      expect(() => scheme.sign({ ...message, timestamp }, [TEXT_SECRET])).toThrow(/ten digits/);
    }
  });
});

describe("a description", () => {
  it("is copied, so later changes have no effect", () => {
    const parts: SignedPart[] = ["timestamp", "body"];
    const mutable: { encoding: Encoding } & HmacDescription = {
      ...hmacPresets.timestamped,
      encoding: "hex",
      signed: parts,
    };
    const scheme = describedHmac(mutable);
    const before = scheme.sign(message, [TEXT_SECRET]);
    mutable.encoding = "base64";
    parts.pop();

    expect(scheme.sign(message, [TEXT_SECRET])).toEqual(before);
  });

  it("may order the parts in any way, and survives JSON", () => {
    const parts = fc.shuffledSubarray(["id", "timestamp"] as const);
    const separator = fc.constantFrom(".", "|", ":", "\n", ", ", "::", "/");

    fc.assert(
      fc.property(parts, fc.nat(2), separator, fc.uint8Array(), (others, at, between, bytes) => {
        const order = others.toSpliced(Math.min(at, others.length), 0, "body" as never);
        const headers = {
          signature: "S",
          ...(others.includes("id") ? { id: "I" } : {}),
          ...(others.includes("timestamp") ? { timestamp: "T" } : {}),
        };
        const form = { kind: "single", prefix: "" } as const;
        const parsed: unknown = JSON.parse(
          JSON.stringify({
            ...hmacPresets.unseparated,
            headers,
            form,
            signed: order,
            separator: between,
          }),
        );
        const scheme = describedHmac(parsed as HmacDescription);
        const values = { id: message.id, timestamp: String(NOW_SECONDS), body: "" };
        const pieces = order.map((part: "id" | "timestamp" | "body") =>
          part === "body" ? Buffer.from(bytes) : Buffer.from(values[part]),
        );
        const text = pieces.flatMap((piece, index) =>
          index === 0 ? [piece] : [Buffer.from(between), piece],
        );
        const alone = describedHmac({ ...hmacPresets.body, encoding: "base64" });

        const attempt = signed(scheme, [TEXT_SECRET], { ...message, body: bytes });

        expect(attempt.headers["S"]).toBe(
          alone.sign({ ...message, body: Buffer.concat(text) }, [TEXT_SECRET])["X-Signature"],
        );
        expect(scheme.verify(attempt, [TEXT_SECRET], { now })).toEqual({
          ok: true,
          id: others.includes("id") ? message.id : undefined,
          timestamp: others.includes("timestamp") ? NOW_SECONDS : undefined,
          secretIndex: 0,
        });
      }),
    );
  });
});
