import { authenticateClient, type ClientCredentials } from "./authenticate-client.ts";
import type { Context } from "./context.ts";
import { grantToken, type GrantTokenOutcome } from "./grant-token.ts";

export interface TokenRequest extends ClientCredentials {
  /** Default: every scope of the client. */
  readonly scopes: readonly string[] | undefined;
}

export type IssueTokenOutcome =
  | GrantTokenOutcome
  /** RFC 6749, section 5.2. */
  | { readonly ok: false; readonly error: "invalid_client" };

/**
 * Issues an access token for client credentials (S 5.1, rule 2; RFC 6749, section 4.4).
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function issueToken(
  context: Context,
  { scopes, ...credentials }: TokenRequest,
): Promise<IssueTokenOutcome> {
  const client = await authenticateClient(context, credentials);
  if (client === undefined) return { ok: false, error: "invalid_client" };
  return grantToken(context, { client, scopes });
}
