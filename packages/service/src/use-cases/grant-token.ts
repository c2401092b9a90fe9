import type { ClientRecord } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { createToken } from "./create-token.ts";

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
 * Makes an access token for a client that has proved who it is.
 *
 * @param order `scopes`: those asked for; `undefined` is every scope of the client.
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
