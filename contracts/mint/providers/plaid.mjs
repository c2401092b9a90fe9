import { importJWK, jwtVerify } from "jose";
import { p256Pair } from "../keys.mjs";
import { jwt, pairsOf, sha256 } from "../sign.mjs";

const kid = "bfbd5111-8e33-4643-8ced-b2e642a72f3c";
const jwkOf = ({ jwk }) => JSON.stringify({ ...jwk, alg: "ES256", kid, use: "sig" });
export const { pairs, publicKeys: keys, privateKeys } = pairsOf(p256Pair, [11, 12], jwkOf);

export const sign = ({ body, name, seconds }) => {
  const claims = { iat: seconds, request_body_sha256: sha256(body) };
  return { headers: { "Plaid-Verification": jwt(pairs[name], claims, kid) } };
};

/** The steps of Plaid's documentation, with the package that its example uses. */
export const judge = async ({ bytes, header, key }) => {
  const publicKey = await importJWK(JSON.parse(key));
  const options = { algorithms: ["ES256"], maxTokenAge: "5 min" };
  const { payload } = await jwtVerify(header("Plaid-Verification"), publicKey, options);
  return payload.request_body_sha256 === sha256(bytes);
};
