import { sha256Hex } from "../sha256.ts";
import { insertToken } from "../store/tables/tokens.ts";
import type { Context } from "./context.ts";

export interface TokenOrder {
  readonly merchantId: string;
  /** The OAuth client that asked for it; `null` for one that an operator makes. */
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Seconds of real time; `null` never expires. */
  readonly lifetimeSeconds: number | null;
  /** A token that exists already, kept outside. Default: a new one. */
  readonly token?: string;
}

/**
 * Makes a bearer token: `cst_` and 256 random bits as base64url. Only its SHA-256 is stored, so that
 * this is the one time it is seen.
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
