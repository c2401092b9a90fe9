import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import { listenHttp } from "../delivery/listening.ts";

export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function newKey(kid: string, alg = "ES256"): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

export type KeyServer = Awaited<ReturnType<typeof openKeyServer>>;

/** An issuer of JWTs with its keys on a real socket, for as long as the running test lasts. */
export async function openKeyServer(...keys: readonly IssuerKey[]) {
  let published = keys;
  let answer: { status: number; text?: string | undefined } = { status: 200 };
  let asked = 0;
  const server = await listenHttp((_request, response) => {
    asked += 1;
    const text = answer.text ?? JSON.stringify({ keys: published.map(({ jwk }) => jwk) });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  return {
    jwksUrl: `http://127.0.0.1:${server.port}/keys`,
    issuer: "https://issuer.example",
    /** How often the keys were asked for. */
    asked: () => asked,
    /** What is answered from now on. Default: the keys. */
    answerWith: (status: number, text?: string) => void (answer = { status, text }),
    publish: (...next: readonly IssuerKey[]) => void (published = next),
    stop: () => server.close(),
  };
}

/** A JWT of a key, of one hour from 20 November 2026, 15:00, with other claims and header where they are given. */
export function jwtOf(key: IssuerKey, claims: object = {}, header: object = {}): Promise<string> {
  const now = Date.parse("2026-11-20T15:00:00.000Z") / 1000;
  return new SignJWT({
    iss: "https://issuer.example",
    aud: "countersign",
    iat: now,
    exp: now + 3600,
    scope: "payments core",
    client_id: "their-client",
    ...claims,
  })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
}
