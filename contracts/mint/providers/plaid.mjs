import { createHash } from "node:crypto";
import { decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { p256Pair, signP256 } from "../keys.mjs";

const kid = "bfbd5111-8e33-4643-8ced-b2e642a72f3c";
const jwkOf = (number) => ({ ...p256Pair(number).jwk, alg: "ES256", kid, use: "sig" });
export const keys = { a: JSON.stringify(jwkOf(11)), b: JSON.stringify(jwkOf(12)) };

const text = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const hashOf = (body) => createHash("sha256").update(body).digest("hex");

export const sign = ({ body, name, seconds }) => {
  const claims = text({ iat: seconds, request_body_sha256: hashOf(body) });
  const signed = `${text({ alg: "ES256", kid, typ: "JWT" })}.${claims}`;
  const signature = signP256(p256Pair(name === "b" ? 12 : 11), signed, "ieee-p1363");
  return { headers: { "Plaid-Verification": `${signed}.${signature.toString("base64url")}` } };
};

/** The steps of Plaid's documentation, with the package that its example uses. */
export const judge = async ({ bytes, header, key }) => {
  const token = header("Plaid-Verification");
  if (decodeProtectedHeader(token).alg !== "ES256") return false;
  const { payload } = await jwtVerify(token, await importJWK(JSON.parse(key)), {
    maxTokenAge: "5 min",
  });
  return payload.request_body_sha256 === hashOf(bytes);
};
