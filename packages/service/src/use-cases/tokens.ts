import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../secrets/vault.ts";
import { findClient, type ClientRecord } from "../store/tables/merchants.ts";
import { deleteExpiredTokens, insertToken, type NewToken } from "../store/tables/tokens.ts";
import type { Context } from "./context.ts";

export interface TokenOrder extends Pick<NewToken, "merchantId" | "clientId" | "scopes"> {
  /** Seconds of real time; `null` never expires. */
  readonly lifetimeSeconds: number | null;
  /** An existing token to store. Default: a new one. */
  readonly token?: string;
}

/** Creates a bearer token of 256 random bits. Some expired tokens make room for it. */
export async function createToken(
  { driver, clock, random }: Pick<Context, "driver" | "clock" | "random">,
  { lifetimeSeconds, token: given, ...order }: TokenOrder,
): Promise<string> {
  const token = given ?? `cst_${Buffer.from(random.bytes(32)).toString("base64url")}`;
  const createdAt = clock.now();
  const expiresAt = lifetimeSeconds === null ? null : createdAt + lifetimeSeconds * 1000;
  await driver.transaction(async (tx) => {
    await deleteExpiredTokens(tx, createdAt);
    await insertToken(tx, { ...order, hash: sha256Hex(token), createdAt, expiresAt });
  });
  return token;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Returns the client of credentials (RFC 6749, section 2.3), given its secret or the one before the last rotation. An
 * unknown or revoked client and a wrong secret cannot be distinguished, not even by the time they take.
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

/** Creates an access token for an authenticated client (S 5.2); `undefined` if it does not have one of the scopes. */
export async function grantToken(
  context: Context,
  { id: clientId, merchantId, scopes: own }: ClientRecord,
  scopes: readonly string[] = own,
): Promise<{ readonly token: string; readonly scopes: readonly string[] } | undefined> {
  const granted = [...new Set(scopes)];
  if (!granted.every((scope) => own.includes(scope))) return undefined;
  const { lifetimeSeconds } = context.policy.token;
  const order = { merchantId, clientId, scopes: granted, lifetimeSeconds };
  return { token: await createToken(context, order), scopes: granted };
}
