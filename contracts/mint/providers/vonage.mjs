import { verifySignature } from "@vonage/jwt";
import { jwt, sha256 } from "../sign.mjs";

export const secrets = {
  a: "WLTKr8LVjvCvMhPdKUsV87EtquKf61Gh2TSQSbC2",
  b: "L9tt0xB9GkhDL63egSVjCe4rGP2y9QApFdUZbpef",
};

const own = { iss: "Vonage", api_key: "a1b2c3d", application_id: "aaaaaaaa-bbbb-4ccc-8ddd" };

export const sign = ({ body, secret, seconds }) => {
  const claims = { iat: seconds, jti: "c5ba8f24-1a14", ...own, payload_hash: sha256(body) };
  return { headers: { Authorization: `Bearer ${jwt(secret, claims)}` } };
};

export const judge = ({ header, secret }) =>
  verifySignature(header("Authorization").replace(/^Bearer /, ""), secret);
