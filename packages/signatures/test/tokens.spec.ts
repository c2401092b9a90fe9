import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { schemeOf } from "../src/index.ts";
import { now, NOW_SECONDS } from "./attempts.ts";
import { samples } from "./samples.ts";

const sample = samples.find(({ document: { signature } }) => signature.algorithm === "jwt-hs256");
if (sample === undefined) throw new Error("no sample has a token");
const { document, verify: secret } = sample;
const scheme = schemeOf(document);
const body = Buffer.from("{}");
const url = "https://example.com/hooks";
const genuine = {
  iss: "key-1",
  sub: url,
  exp: NOW_SECONDS + 300,
  nbf: NOW_SECONDS,
  sha256: createHash("sha256").update(body).digest("base64"),
};

/** Judges a token that the sender has signed. */
function judge(claims: object = {}, header: object = {}, given: object = { issuer: "key-1" }) {
  const text = [
    { alg: "HS256", ...header },
    { ...genuine, ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = createHmac("sha256", secret).update(text).digest("base64url");
  const headers = { authorization: `Bearer ${text}.${signature}` };
  return scheme.verify({ headers, body, url }, [secret], { now, claims: { ...given } });
}

describe("a token of the sender", () => {
  it("is accepted with the demanded claims, and with clocks that differ by 4 s", () => {
    expect(judge()).toMatchObject({ ok: true, timestamp: NOW_SECONDS });
    expect(judge({ exp: NOW_SECONDS - 4, iat: NOW_SECONDS + 4 })).toMatchObject({ ok: true });
  });

  it.each<[string, string, object, object?]>([
    ["another algorithm", "MALFORMED", {}, { alg: "none" }],
    ["an extension that must be understood", "MALFORMED", {}, { crit: ["b64"] }],
    ["no expiry", "TOKEN_INVALID", { exp: undefined }],
    ["an expiry that is not a number", "TOKEN_INVALID", { exp: "9999999999" }],
    ["an expiry in the past", "TIMESTAMP_TOO_OLD", { exp: NOW_SECONDS - 5 }],
    ["a beginning in the future", "TIMESTAMP_TOO_NEW", { iat: NOW_SECONDS + 6 }],
    ["another issuer", "TOKEN_INVALID", { iss: "key-2" }],
    ["another URL", "TOKEN_INVALID", { sub: `${url}/` }],
    ["no digest of the body", "PLACE_MISSING", { sha256: undefined }],
    ["the digest of another body", "DIGEST_MISMATCH", { sha256: `${"A".repeat(43)}=` }],
    ["no time", "TIMESTAMP_INVALID", { nbf: undefined }],
    ["an old time", "TIMESTAMP_TOO_OLD", { nbf: NOW_SECONDS - 301 }],
  ])("is refused with %s", (_, code, claims, header) => {
    expect(judge(claims, header)).toMatchObject({ code: `CS_SIGNATURE_${code}` });
  });

  it("cannot be judged without the claim that the document leaves to the user", () => {
    expect(() => judge({}, {}, {})).toThrow('missing "claims.issuer"');
  });
});
