import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import { onTestFinished } from "vitest";

export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** An issuer of JWTs with its keys on a real socket, for as long as the running test lasts. */
export interface KeyServer {
  readonly jwksUrl: string;
  readonly issuer: string;
  /** How often the keys were asked for. */
  readonly asked: () => number;
  /** What is answered from now on. Default: the keys. */
  answerWith(status: number, text?: string): void;
  publish(...keys: readonly Partial<IssuerKey>[]): void;
  stop(): Promise<void>;
}

export async function newKey(kid: string, alg = "ES256"): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

export async function openKeyServer(...keys: readonly IssuerKey[]): Promise<KeyServer> {
  let published: readonly Partial<IssuerKey>[] = keys;
  let answer: { status: number; text?: string } = { status: 200 };
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    const text = answer.text ?? JSON.stringify({ keys: published.map(({ jwk }) => jwk) });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(stop);
  return {
    jwksUrl: `http://127.0.0.1:${port}/keys`,
    issuer: "https://issuer.example",
    asked: () => asked,
    answerWith: (status, text) => {
      answer = { status, ...(text !== undefined && { text }) };
    },
    publish: (...next) => {
      published = next;
    },
    stop,
  };
}

export interface JwtOptions {
  readonly claims?: Record<string, unknown>;
  /** Of the header, beside `alg` and `kid`. */
  readonly header?: Record<string, unknown>;
}

/** A JWT of a key, of one hour from 20 November 2026, 15:00, with other claims where they are given. */
export function jwtOf(key: IssuerKey, { claims = {}, header = {} }: JwtOptions): Promise<string> {
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
