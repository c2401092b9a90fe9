import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../sha256.ts";
import { findClient } from "../store/operations/merchants/find-client.ts";
import type { Context } from "./context.ts";
import { createToken } from "./create-token.ts";

export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: every scope of the client. */
  readonly scopes: readonly string[] | undefined;
}

export type IssueTokenOutcome =
  | {
      readonly ok: true;
      readonly token: string;
      readonly scopes: readonly string[];
      readonly expiresInSeconds: number;
    }
  /** RFC 6749, section 5.2. */
  | { readonly ok: false; readonly error: "invalid_client" | "invalid_scope" };

/**
 * Issues an access token for client credentials (S 5.1, rule 2; RFC 6749, section 4.4). An unknown
 * client and a wrong secret look alike, also by the work that they take.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function issueToken(
  context: Context,
  { clientId, clientSecret, scopes }: TokenRequest,
): Promise<IssueTokenOutcome> {
  const client = await findClient(context.driver, clientId);
  const sent = Buffer.from(sha256Hex(clientSecret), "hex");
  const expected = Buffer.from(client?.secretHash ?? sha256Hex(""), "hex");
  const isGenuine = timingSafeEqual(sent, expected);
  if (client === undefined || !isGenuine) return { ok: false, error: "invalid_client" };

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
