import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../secrets/vault.ts";
import { findClient, type ClientRecord } from "../store/tables/merchants.ts";
import { insertToken } from "../store/tables/tokens.ts";
import type { Context } from "./context.ts";

export interface TokenOrder {
  readonly merchantId: string;
  /** The OAuth client that requested it; `null` if an operator did. */
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Seconds of real time; `null` never expires. */
  readonly lifetimeSeconds: number | null;
  /** An existing token to store. Default: a new one. */
  readonly token?: string;
}

/**
 * Creates a bearer token: `cst_` and 256 random bits as base64url. Only its SHA-256 is stored.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function createToken(
  { driver, clock, random }: Pick<Context, "driver" | "clock" | "random">,
  { merchantId, clientId, scopes, lifetimeSeconds, token: given }: TokenOrder,
): Promise<string> {
  const token = given ?? `cst_${Buffer.from(random.bytes(32)).toString("base64url")}`;
  const createdAt = clock.now();
  const expiresAt = lifetimeSeconds === null ? null : createdAt + lifetimeSeconds * 1000;
  const hash = sha256Hex(token);
  await driver.transaction((tx) =>
    insertToken(tx, { hash, merchantId, clientId, scopes, createdAt, expiresAt }),
  );
  return token;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Returns the client of credentials (RFC 6749, section 2.3), given its secret or the one before the last rotation
 * while that is valid. An unknown or revoked client and a wrong secret cannot be distinguished, not even by the time
 * they take.
 */
export async function authenticateClient(
  { driver, clock }: Pick<Context, "driver" | "clock">,
  { clientId, clientSecret }: ClientCredentials,
): Promise<ClientRecord | undefined> {
  const client = await findClient(driver, clientId);
  const sent = Buffer.from(sha256Hex(clientSecret), "hex");
  const isSent = (hash: string | null | undefined): boolean =>
    timingSafeEqual(sent, Buffer.from(hash ?? sha256Hex(""), "hex")) && hash != null;
  const isPresent = isSent(client?.secretHash);
  const isPrevious = isSent(client?.previousHash) && clock.now() < (client?.previousUntil ?? 0);
  return (isPresent || isPrevious) && client?.revokedAt === null ? client : undefined;
}

export type GrantTokenOutcome =
  | {
      readonly ok: true;
      readonly token: string;
      readonly scopes: readonly string[];
      readonly expiresInSeconds: number;
    }
  /** RFC 6749, section 5.2. */
  | { readonly ok: false; readonly error: "invalid_scope" };

/**
 * Creates an access token for an authenticated client (S 5.2; RFC 6749, section 4.4).
 *
 * @param order `scopes`: those requested; `undefined` means all scopes of the client.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function grantToken(
  context: Context,
  { client, scopes }: { client: ClientRecord; scopes: readonly string[] | undefined },
): Promise<GrantTokenOutcome> {
  const granted = scopes === undefined ? client.scopes : [...new Set(scopes)];
  if (!granted.every((scope) => client.scopes.includes(scope))) {
    return { ok: false, error: "invalid_scope" };
  }
  const expiresInSeconds = context.policy.token.lifetimeSeconds;
  const token = await createToken(context, {
    merchantId: client.merchantId,
    clientId: client.id,
    scopes: granted,
    lifetimeSeconds: expiresInSeconds,
  });
  return { ok: true, token, scopes: granted, expiresInSeconds };
}
